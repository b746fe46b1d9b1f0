"""Kinematics providers: weights W and handle transforms A(q) of x_v(q) = sum_h w_vh A_h(q) [X_v; 1]."""
