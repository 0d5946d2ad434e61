"""`navcore query`: a file of questions in, a file of answers out."""

from __future__ import annotations

import argparse

from ..files.atomic_write import check_apart, check_folder, write_whole
from ..files.npz import npz_bytes
from ..formats.read_any import read_navmesh
from ..progress import Progress
from ..questions.nav_query import NavQuery
from ..questions.question_files import answers_to, read_questions
from .console import interruptible
from .exit_status import DONE


def run(arguments: argparse.Namespace) -> int:
    """Answer, and write the answers in one step. Returns the exit status."""
    progress = Progress()

    def answer() -> None:
        questions, query = read_questions(arguments.questions), NavQuery(read_navmesh(arguments.file))
        write_whole(arguments.output, npz_bytes(answers_to(query, questions, arguments.threads, progress)))

    check_folder(arguments.output)
    check_apart([arguments.output], [arguments.file, arguments.questions])
    interruptible(answer, progress.cancel)
    return DONE
