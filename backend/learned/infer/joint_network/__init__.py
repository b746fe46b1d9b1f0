"""The joint network (GEOPARD): scores joint candidates of parts, and proposes joints of its own."""
