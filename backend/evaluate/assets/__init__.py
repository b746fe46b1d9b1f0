"""Everyday things under default settings: dropped, poked, blown at, and judged by what a person expects of them."""
