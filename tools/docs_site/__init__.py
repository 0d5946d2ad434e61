"""The site of the documents: pages, one for each code, and the reference of navcore's public names."""
