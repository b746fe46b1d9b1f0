"""Benchmarks of speed, beside other solvers."""
