package agents

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/agents/splice"
)

// Command is what our hooks run, in some agents with the name of the event. It contains no path, agent or version, so that an update does
// not change it, and agents do not ask the user again to trust it. If git-resume is not installed, the command does nothing.
//
// A hook that fails can stop an agent: Claude Code and Codex send no request after the exit code 2, with which a Go program crashes. So the
// command ends with 0 even if git-resume crashes, is killed, or is too old to know the word. The agents give it to sh, bash or the user's
// own shell, so it uses only what these shells have in common.
var Command = command("")

func command(event string) string {
	return strings.TrimSpace("command -v git-resume >/dev/null 2>&1 || exit 0; git-resume agent-event "+event) + " 2>/dev/null || exit 0"
}

// formerCommand is what the hooks of earlier versions ran. It ends with the exit code of git-resume.
var formerCommand = pattern(`(command -v git-resume >/dev/null 2>&1 \|\| exit 0; )exec (git-resume agent-event( \w+)?)`)

// Renewed returns a text in which each command that a hook of an earlier version ran is replaced by the present one.
func Renewed(text []byte) []byte {
	return formerCommand().ReplaceAll(text, []byte("$1$2 2>/dev/null || exit 0"))
}

// IsCommand reports whether a command is the one that our hooks run, in this version or an earlier one.
func IsCommand(text string) bool { return string(Renewed([]byte(text))) == Command }

// Piece is one file that an installation writes or changes.
type Piece struct {
	Path string
	// Own is the whole content if the file is ours alone. It is nil if the file has other content too, to which we only add something.
	Own []byte
	// Entries are what is added to a JSON file. Format says how the agent reads that file.
	Format  splice.Format
	Entries []splice.Entry
	// Setting is set for a TOML file to which a setting is added.
	Setting *splice.Setting
	// Switch is true if this piece does nothing but turn the agent's task list on.
	Switch bool
}

// Shared reports whether the file can have content of others too, so that we only add entries to it. It does not look at the file.
func (p Piece) Shared() bool { return p.Own == nil }

//go:embed skill/SKILL.md
var skill []byte

//go:embed opencode.js
var openCodePlugin []byte

// Pieces returns the files to install for this version of an agent, or nil if the agent's support is not Installed. If the argument "tasks"
// is true, the files also contain the setting that turns the agent's task list on, if there is one.
func (a Agent) Pieces(p Place, version string, tasks bool) []Piece {
	if a.Support != Installed {
		return nil
	}
	root := p.Root(a.Name)
	out := []Piece{{Path: a.skillPath(p), Own: skill}}
	switch {
	case a.Name == "claude":
		out = append(out, Piece{Path: filepath.Join(root, "settings.json"), Format: claudeFormat, Entries: a.entries(version)})
	case a.Name == "codex":
		out = append(out, Piece{Path: filepath.Join(root, "hooks.json"), Entries: a.entries(version)})
	case a.Name == "copilot":
		out = append(out, Piece{Path: filepath.Join(root, "hooks", "git-resume.json"), Own: a.copilotFile(version)})
	case a.Name == "opencode":
		out = append(out, Piece{Path: filepath.Join(root, "plugins", "git-resume.js"), Own: openCodePlugin})
	case p.Project != "":
		out = append(out, Piece{Path: filepath.Join(root, "settings.json"), Format: a.commented(), Entries: a.entries(version)})
	default:
		dir := filepath.Join(root, "extensions", "git-resume")
		out = append(out, Piece{Path: filepath.Join(dir, a.Name+"-extension.json"), Own: pretty(ourManifest)}, Piece{Path: filepath.Join(dir, "hooks", "hooks.json"), Own: a.hooksFile(version)})
	}
	if tasks {
		out = a.switched(p, out)
	}
	return out
}

// claudeFormat is how Claude Code reads its settings. Claude Code accepts a byte order mark. It ignores the whole file if the file has a
// comment, or one comma too many.
var claudeFormat = splice.Format{BOM: true}

// commented returns how Gemini CLI or Qwen Code reads its settings. Both accept comments, and only Qwen Code accepts a byte order mark.
func (a Agent) commented() splice.Format { return splice.Format{Comments: true, BOM: a.Name == "qwen"} }

// switched adds the setting that turns the agent's task list on, if there is such a setting.
func (a Agent) switched(p Place, pieces []Piece) []Piece {
	switch s, ok := a.Switch(p); {
	case !ok:
	case s.Setting != nil:
		return append(pieces, s)
	default:
		for i := range pieces {
			if pieces[i].Path == s.Path {
				pieces[i].Entries = append(pieces[i].Entries, s.Entries...)
				return pieces
			}
		}
		return append(pieces, s)
	}
	return pieces
}

// Switch returns the change to a settings file that turns the agent's task list on. ok is false if no setting does that. It is also
// false for the settings of a project, because each user decides about the list.
func (a Agent) Switch(p Place) (piece Piece, ok bool) {
	if a.Tasks != TasksSwitch || p.Project != "" {
		return Piece{}, false
	}
	root := p.Root(a.Name)
	switch a.Name {
	case "claude":
		return Piece{Switch: true, Path: filepath.Join(root, "settings.json"), Format: claudeFormat, Entries: []splice.Entry{{Path: []string{"env", "CLAUDE_CODE_ENABLE_TODO_TOOLS"}, Value: `"1"`}}}, true
	case "codex":
		return Piece{Switch: true, Path: filepath.Join(root, "config.toml"), Setting: &splice.Setting{Table: []string{"tools", "update_plan"}, Key: "enabled", Value: "true"}}, true
	}
	return Piece{Switch: true, Path: filepath.Join(root, "settings.json"), Format: a.commented(), Entries: []splice.Entry{{Path: []string{"tools", "todoWrite", "enabled"}, Value: "true"}}}, true
}

// skillPath returns where our skill is written for an agent. Claude Code has a folder of its own for skills, and all other agents share
// one.
func (a Agent) skillPath(p Place) string {
	top := p.Home
	if p.Project != "" {
		top = p.Project
	}
	dir := filepath.Join(top, ".agents")
	if a.Name == "claude" {
		dir = p.Root("claude")
	}
	return filepath.Join(dir, "skills", "git-resume", "SKILL.md")
}

type handlerJSON struct {
	Type    string `json:"type"`
	Name    string `json:"name,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

type groupJSON struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []handlerJSON `json:"hooks"`
}

type manifestJSON struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

var ourManifest = manifestJSON{Name: "git-resume", Version: "1.0.0", Description: "Tells git resume about sessions, so that interrupted work can be continued."}

func (a Agent) group(h hook) groupJSON {
	limit := seconds
	if h.seconds > 0 {
		limit = h.seconds
	}
	one := handlerJSON{Type: "command", Command: Command, Timeout: limit * a.secondUnit}
	if a.Name == "gemini" || a.Name == "qwen" {
		one.Name = "git-resume"
	}
	return groupJSON{Matcher: h.matcher, Hooks: []handlerJSON{one}}
}

// entries returns the hooks as entries to add to a JSON file that has other content too.
func (a Agent) entries(version string) (out []splice.Entry) {
	for _, h := range a.known(version) {
		out = append(out, splice.Entry{Path: []string{"hooks", h.event}, Append: true, Value: line(a.group(h))})
	}
	return out
}

// hooksFile returns the whole content of a file that has only our hooks.
func (a Agent) hooksFile(version string) []byte {
	var b strings.Builder
	for i, h := range a.known(version) {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%q:[%s]", h.event, line(a.group(h)))
	}
	return indented(`{"hooks":{` + b.String() + `}}`)
}

// copilotFile returns the hooks file of Copilot CLI. The payloads of Copilot CLI do not name the event, so each command does.
func (a Agent) copilotFile(version string) []byte {
	type handler struct {
		Type       string `json:"type"`
		Bash       string `json:"bash"`
		TimeoutSec int    `json:"timeoutSec"`
	}
	var b strings.Builder
	for i, h := range a.known(version) {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "%q:[%s]", h.event, line(handler{"command", command(h.event), seconds}))
	}
	return indented(`{"version":1,"hooks":{` + b.String() + `}}`)
}

// line returns a value as JSON in one line, without the escapes that only HTML needs.
func line(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // our own structs can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

func pretty(v any) []byte { return indented(line(v)) }

func indented(text string) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(text), "", "  ") // the text is our own JSON
	b.WriteByte('\n')
	return b.Bytes()
}

// IsOurs reports whether an item of a settings file is a hook of ours, or a group that has only hooks of ours.
func IsOurs(item any) bool {
	m, _ := item.(map[string]any)
	if list, ok := m["hooks"].([]any); ok {
		for _, h := range list {
			if !IsOurs(h) {
				return false
			}
		}
		return len(list) > 0
	}
	text, _ := m["command"].(string)
	return IsCommand(text)
}
