package commit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/settings"
)

func (m *maker) message(ctx context.Context) (string, error) {
	c, err := m.r.Settings.Config(ctx)
	if err != nil {
		return "", err
	}
	text := m.q.Subject + "\n"
	if m.q.Body != "" {
		text += "\n" + m.q.Body + "\n"
	}
	text = m.withTrailers(m.titled(cleanMessage(text, c)))
	path := filepath.Join(m.r.GitDir, "COMMIT_EDITMSG")
	if has, err := m.r.Hooks.Has(ctx, "commit-msg"); err != nil || !has || m.q.NoVerify {
		return text, err
	}
	if err := m.r.Guard.Replace(path, []byte(text)); err != nil {
		return "", fmt.Errorf("write the message for the commit-msg hook: %w", err)
	}
	if _, err := m.hook(ctx, "commit-msg", path); err != nil {
		return "", err
	}
	changed, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the message after the commit-msg hook: %w", err)
	}
	text = cleanMessage(string(changed), c)
	if strings.TrimSpace(text) == "" {
		return "", &HookError{Hook: "commit-msg", Output: "the hook left the commit message empty"}
	}
	return m.withTrailers(m.titled(text)), nil
}

// titled adds a title to a message in which every line looks like a comment. Without a title, git would read the trailers as the title.
func (m *maker) titled(text string) string {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			return text
		}
	}
	return strings.TrimRight("task "+string(m.q.Task)+"\n\n"+text, "\n") + "\n"
}

func (m *maker) withTrailers(text string) string {
	if m.q.NoTrailers {
		return text
	}
	add := []gitstate.Trailer{{Key: checkpoint.TrailerRun, Value: string(m.q.Run)}}
	if m.q.Task != "" {
		add = append(add, gitstate.Trailer{Key: checkpoint.TrailerTask, Value: string(m.q.Task)})
	}
	for _, task := range m.q.Also {
		add = append(add, gitstate.Trailer{Key: checkpoint.TrailerTask, Value: string(task)})
	}
	if m.q.Partial {
		add = append(add, gitstate.Trailer{Key: checkpoint.TrailerState, Value: checkpoint.Partial})
	}
	return gitstate.AddTrailers(text, add...)
}

// cleanMessage cleans a message as "git commit -m" would with the user's commit.cleanup setting.
func cleanMessage(text string, c *settings.Config) string {
	mode, _ := c.Get("commit.cleanup")
	if mode == "verbatim" {
		return text
	}
	char, set := c.Get("core.commentchar")
	if !set {
		char = "#"
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		// If core.commentChar is "auto", git chooses a character that no line begins with, so no line is removed here. New versions of
		// git may still remove some lines.
		if mode == "strip" && char != "auto" && strings.HasPrefix(line, char) {
			continue
		}
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n"
}
