"""Comparisons with stage dumps of the C++ library are collected only where a folder of dumps is named."""

from tests import dumps

collect_ignore_glob = [] if dumps.FOLDER else ["*_golden.py"]
