package proc

// program leaves the search to the system, which looks at more than PATH.
func (c Command) program() string { return c.Name }
