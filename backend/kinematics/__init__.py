"""Kinematics providers: where W and A(q) of x_v(q) = sum_h w_vh A_h(q) [X_v; 1] come from."""
