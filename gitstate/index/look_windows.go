package index

// look knows nothing here: git stores other things about files on Windows, so it must be asked.
func look(string) (seen, bool) { return seen{}, false }
