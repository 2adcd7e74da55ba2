package site

import "github.com/git-resume/git-resume/internal/quote"

// UserIn returns the login name of the user, or "" if no variable of the environment has it. Windows has it in USERNAME.
func UserIn(getenv func(string) string) string {
	for _, variable := range []string{"USER", "LOGNAME", "USERNAME"} {
		if name := quote.Clean(getenv(variable)); name != "" && len(name) <= 100 {
			return name
		}
	}
	return ""
}
