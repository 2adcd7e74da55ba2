package proc

// program leaves the search to Windows, which searches more than PATH.
func (c Command) program() string { return c.Name }
