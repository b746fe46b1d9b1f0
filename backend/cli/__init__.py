"""The command line: scene files, commands and result files."""
