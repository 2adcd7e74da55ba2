package site

import (
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/quote"
)

// UserIn returns the login name of the user, or "" if no variable of the environment has it. Windows has it in USERNAME.
func UserIn(env locate.Environ) string {
	for _, variable := range []string{"USER", "LOGNAME", "USERNAME"} {
		value, _ := env.Get(variable)
		if name := quote.Clean(value); name != "" && len(name) <= 100 {
			return name
		}
	}
	return ""
}
