package commit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// checkAuthor fails if git has no name for the author and user.useConfigOnly forbids git to guess one. Some coding agents set
// GIT_CONFIG_GLOBAL, which hides the user's settings. If the name is missing for that reason, it is read from the hidden settings.
func (m *maker) checkAuthor(ctx context.Context) error {
	c, err := m.r.Settings.Config(ctx)
	if err != nil {
		return err
	}
	_, named := c.Get("user.name")
	_, mailed := c.Get("user.email")
	global, set := m.r.Var("GIT_CONFIG_GLOBAL")
	hidden := set && (global == "" || global == os.DevNull)
	if named && mailed || !hidden && !c.Bool("user.useconfigonly", false) {
		return nil
	}
	_, err = m.r.Line(ctx, "var", "GIT_COMMITTER_IDENT")
	if err == nil || hidden && m.findAuthor(ctx) || !c.Bool("user.useconfigonly", false) {
		return nil // if a name is still missing, git reports that when it writes the commit
	}
	return fmt.Errorf("write the commit: %w", err)
}

// findAuthor reads the author's name and address from the user's own settings files. It is needed if GIT_CONFIG_GLOBAL makes git read
// another file. It returns false if the name or the address is not set there.
func (m *maker) findAuthor(ctx context.Context) bool {
	config := "~/.config"
	if dir, ok := m.r.Var("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		config = dir
	}
	ask := func(key string) string {
		out, err := m.r.Line(ctx, "-c", "include.path="+config+"/git/config", "-c", "include.path=~/.gitconfig", "config", "--get", key)
		if err != nil {
			return ""
		}
		return out
	}
	name, mail := ask("user.name"), ask("user.email")
	if name == "" || mail == "" {
		return false
	}
	m.author, m.out.Author = []string{"-c", "user.name=" + name, "-c", "user.email=" + mail}, fmt.Sprintf("%s <%s>", name, mail)
	return true
}
