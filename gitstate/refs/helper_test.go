package refs

import "os"

// proving asks for the long forms of tests.
func proving() bool { return os.Getenv("GIT_RESUME_PROVE") != "" }
