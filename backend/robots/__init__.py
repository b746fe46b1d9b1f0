"""Objects of rigid parts that move against each other by joints: robots, cabinets, appliances."""
