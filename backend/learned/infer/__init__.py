"""Inference: from a mesh to its learned state space and its joints, on ONNX Runtime or PyTorch."""
