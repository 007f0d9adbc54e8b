"""What keeps a run to itself: private folders, namespaces, the processes it started, and who cleans up."""
