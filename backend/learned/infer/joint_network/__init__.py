"""The network that knows how parts move: it judges candidates for joints, and proposes joints of its own."""
