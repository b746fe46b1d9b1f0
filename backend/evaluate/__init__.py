"""How good the shapes are: measured on real objects whose motion is known, in tables that anyone can make again."""
