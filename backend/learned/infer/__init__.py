"""From a mesh to its learned state space: all that is done for it but computing the network, which engines do."""
