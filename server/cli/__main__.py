"""`python -m server.cli`: the program `hearts`."""

from server.cli import main

main(prog_name="hearts")
