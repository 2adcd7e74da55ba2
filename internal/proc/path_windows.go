package proc

// program returns the name unchanged, so that the package os/exec searches for the program.
func (c Command) program() string { return c.Name }
