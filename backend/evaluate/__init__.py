"""Evaluation on real objects whose motion is known, as reproducible tables."""
