package session

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// root returns the folder in which the agent keeps its own files. This is the folder in the session's note, or otherwise the usual one.
func (x Reader) root(rec Record) string {
	if filepath.IsAbs(rec.Root) {
		return rec.Root
	}
	return x.Place.Root(rec.Agent)
}

// transcript finds the transcript of a session, or returns "". The path that the agent reported is used only if it leads to a file in the
// agent's own folder and contains the session's id.
func (x Reader) transcript(rec Record) string {
	root := x.root(rec)
	if path := filepath.Clean(rec.Transcript); filepath.IsAbs(rec.Transcript) && strings.HasPrefix(path, root+string(filepath.Separator)) && strings.Contains(path[len(root):], rec.Session) && isFile(path) {
		return path
	}
	if !agents.IsSession(rec.Session) {
		return ""
	}
	var patterns []string
	switch id := rec.Session; rec.Agent {
	case "claude":
		patterns = []string{"projects", "*", id + ".jsonl"}
	case "codex":
		patterns = []string{"sessions", "*", "*", "*", "rollout-*-" + id + ".jsonl"}
	case "qwen":
		patterns = []string{"projects", "*", "chats", id + ".jsonl"}
	case "gemini":
		patterns = []string{"tmp", "*", "chats", "session-*-" + id[:min(len(id), 8)] + ".jsonl"}
	case "copilot":
		patterns = []string{"session-state", id, "events.jsonl"}
	default:
		return ""
	}
	return firstMatch(root, patterns)
}

// firstMatch finds a file below a folder, or returns "". Names are tried in reverse alphabetical order, because some agents name folders by
// date, and the newest come first that way. The search gives up after 2000 names.
func firstMatch(dir string, parts []string) string {
	left := 2000
	var search func(dir string, parts []string) string
	search = func(dir string, parts []string) string {
		if !strings.Contains(parts[0], "*") {
			path := filepath.Join(dir, parts[0])
			if len(parts) > 1 {
				return search(path, parts[1:])
			}
			if isFile(path) {
				return path
			}
			return ""
		}
		entries, _ := os.ReadDir(dir)
		for i := len(entries) - 1; i >= 0 && left > 0; i-- {
			left--
			name := entries[i].Name()
			if ok, _ := filepath.Match(parts[0], name); !ok || strings.HasPrefix(name, ".") {
				continue
			}
			path := filepath.Join(dir, name)
			if len(parts) == 1 && isFile(path) {
				return path
			}
			if len(parts) > 1 && entries[i].IsDir() {
				if found := search(path, parts[1:]); found != "" {
					return found
				}
			}
		}
		return ""
	}
	return search(dir, parts)
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// maxTail is how many bytes of a transcript are read, from its end.
const maxTail = 64 << 10

// readTail reads the end of a file. If the file is longer than maxTail, the first line of that end is left out, because it may be
// incomplete. readTail follows no link, and does not wait if the path is a named pipe.
func readTail(path string) ([]byte, error) {
	if path == "" {
		return nil, fs.ErrNotExist
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|dotgit.NoFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	from := max(0, info.Size()-maxTail)
	text, err := io.ReadAll(io.NewSectionReader(f, from, maxTail))
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text, err
}
