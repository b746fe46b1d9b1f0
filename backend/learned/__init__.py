"""Networks: inference (`infer`) and training (`train`)."""
