package index

// look always returns false on Windows, because git stores other values about files there. The caller must then ask git.
func look(string) (seen, bool) { return seen{}, false }
