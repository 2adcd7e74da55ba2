package agents

import (
	_ "embed"
	"path/filepath"
	"strings"
)

// Snippet is a text that the user can put into a settings file.
type Snippet struct {
	Path string
	Text []byte
}

//go:embed amp.ts
var ampPlugin []byte

// Snippets returns the texts that a user must add to the settings of an agent whose support is Printed, as the agent's documentation
// describes. For any other agent it returns nil.
func (a Agent) Snippets(p Place) []Snippet {
	top := func(project string, user ...string) string {
		if p.Project != "" {
			return filepath.Join(p.Project, project)
		}
		return p.folder("", user...)
	}
	switch a.Name {
	case "cursor":
		return []Snippet{{filepath.Join(top(".cursor", ".cursor"), "hooks.json"), cursorFile()}}
	case "goose":
		dir := filepath.Join(top(".agents", ".agents"), "plugins", "git-resume")
		return []Snippet{{filepath.Join(dir, "plugin.json"), pretty(ourManifest)}, {filepath.Join(dir, "hooks", "hooks.json"), gooseHooks.hooksFile("")}}
	case "amp":
		return []Snippet{{filepath.Join(top(".amp", ".config", "amp"), "plugins", "git-resume.ts"), ampPlugin}}
	}
	return nil
}

// gooseHooks are the events that the documentation of Goose names.
var gooseHooks = Agent{Name: "goose", secondUnit: 1, hooks: []hook{{event: "SessionStart"}, {event: "UserPromptSubmit"}, {event: "Stop"}, {event: "SessionEnd"}}}

// cursorFile returns a hooks file for Cursor. It has few events, because Cursor ignores the whole file if it does not know one of them.
func cursorFile() []byte {
	type handler struct {
		Command string `json:"command"`
	}
	var events []string
	for _, e := range []string{"sessionStart", "beforeSubmitPrompt", "stop", "sessionEnd"} {
		events = append(events, line(e)+":["+line(handler{Command})+"]")
	}
	return indented(`{"version":1,"hooks":{` + strings.Join(events, ",") + `}}`)
}
