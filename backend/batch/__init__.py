"""Many takes from one file of jobs, in processes of this machine or on a cluster. Imports nothing heavy by itself."""
