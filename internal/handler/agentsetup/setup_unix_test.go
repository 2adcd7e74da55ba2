//go:build unix

package agentsetup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// versions maps each agent to the version with which its hooks were tried.
var versions = func() map[string]string {
	out := map[string]string{}
	for _, a := range agents.All {
		out[a.Name] = a.Tried
	}
	return out
}()

func newSetup(t testing.TB) *Setup {
	t.Helper()
	home := t.TempDir()
	return &Setup{Place: agents.Place{Home: home, Getenv: func(string) string { return "" }}, State: filepath.Join(home, ".local", "state", "git-resume"), Dir: home}
}

// install installs hooks, skills and task lists for the named agents, or for all six if none is named.
func install(t testing.TB, s *Setup, names ...string) Plan {
	t.Helper()
	if len(names) == 0 {
		names = []string{"claude", "codex", "gemini", "qwen", "copilot", "opencode"}
	}
	list, err := Named(names)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.PlanInstall(list, versions, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func uninstall(t testing.TB, s *Setup, names ...string) Plan {
	t.Helper()
	list, err := Named(names)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		list = agents.All
	}
	p, err := s.PlanUninstall(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// tree lists everything below a folder: kind, mode, target of links, and a checksum of the content.
func tree(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%s %v", rel, info.Mode())
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			fmt.Fprintf(&b, " -> %s", to)
		case info.Mode().IsRegular():
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&b, " %s", hash(text))
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shared is a settings file of an agent, into which git-resume inserts its entries.
type shared struct{ agent, file string }

var sharedFiles = []shared{{"claude", ".claude/settings.json"}, {"codex", ".codex/hooks.json"}, {"codex", ".codex/config.toml"}, {"qwen", ".qwen/settings.json"}}

const otherHook = `{"matcher": "Bash", "hooks": [{"type": "command", "command": "other", "async": true, "if": "x"}]}`

// bodies are settings as people and programs write them. The function corpus gives each of them several kinds of line ends and indentation.
var bodies = []string{
	"{}", "{\n}", "{\n  \"model\": \"opus\"\n}", "{\n  \"env\": {\n    \"A\": \"1\"\n  },\n  \"permissions\": {\"allow\": [\"Bash(git:*)\"], \"deny\": []},\n  \"z\": null\n}",
	"{\n  \"hooks\": {\n    \"Stop\": [\n      " + otherHook + "\n    ],\n    \"PreToolUse\": []\n  },\n  \"env\": {}\n}",
	"{\n  \"hooks\": {},\n  \"tools\": {\"todoWrite\": {}}\n}", "{\"a\":1,\"hooks\":{\"Stop\":[" + otherHook + "]}}", "{\n  \"url\": \"https://x/\\u00e9?a=<b>&c\",\n  \"n\": 1.0e3\n}",
}

// corpus returns settings files, each with a name. Most are valid, and some must be refused.
func corpus() map[string]string {
	out := map[string]string{"empty": "", "a newline": "\n", "1 MB": "{\n  \"big\": \"" + strings.Repeat("x", 1<<20) + "\",\n  \"hooks\": {}\n}\n"}
	for i, b := range bodies {
		for name, text := range map[string]string{
			"": b + "\n", "no newline": b, "tabs": strings.ReplaceAll(b, "  ", "\t") + "\n", "CRLF": strings.ReplaceAll(b, "\n", "\r\n") + "\r\n", "four spaces": strings.ReplaceAll(b, "  ", "    ") + "\n",
			"one line": strings.ReplaceAll(strings.ReplaceAll(b, "\n", ""), "  ", "") + "\n", "BOM": "\xef\xbb\xbf" + b + "\n", "comment": "// mine\n" + b + " // end\n", "trailing comma": strings.TrimSuffix(b, "}") + ",}\n", "cut": b[:len(b)-1],
		} {
			out[fmt.Sprintf("%d %s", i, name)] = text
		}
	}
	for i, b := range []string{"[]\n", "null\n", "<<<<<<< HEAD\n{}\n", "{\"hooks\": []}\n", "{\"hooks\": {}, \"hooks\": {}}\n", "\x00\x01", "{\"a\": \"\xff\"}\n", "{'a': 1}\n"} {
		out[fmt.Sprintf("wrong %d", i)] = b
	}
	for i, b := range []string{"model = \"x\"\n", "model = \"x\"", "[tools]\nweb_search = true # yes\n", "[tools.update_plan]\r\n", "[tools.update_plan]\nenabled = false\n", "tools = {}\n", "a = [\n 1,\n]\n[[x]]\ny = '''\n[tools]\n'''\n", "# only\r\n", "a = \n", "[x\n"} {
		out[fmt.Sprintf("toml %d", i)] = b
	}
	return out
}

// An installation either leaves a settings file alone, or the uninstallation restores it exactly.
func TestCorpus_installedAndUninstalled(t *testing.T) {
	t.Parallel()
	texts := corpus()
	if len(texts) < 60 {
		t.Fatalf("the corpus has only %d files", len(texts))
	}
	changed, refused := 0, 0
	for name, text := range texts {
		for _, f := range sharedFiles {
			s := newSetup(t)
			path := filepath.Join(s.Place.Home, f.file)
			put(t, path, text)
			before := tree(t, s.Place.Home)
			p := install(t, s, f.agent)
			now, _ := os.ReadFile(path)
			for _, c := range p.Changes {
				switch {
				case c.Path != path:
				case c.Err != nil:
					refused++
					if string(now) != text || len(c.Snippet) == 0 {
						t.Errorf("%s in %s: refused, but changed, or without a text to paste", name, f.file)
					}
				case c.Changes():
					changed++
				}
			}
			uninstall(t, s)
			if after := tree(t, s.Place.Home); after != before {
				now, _ := os.ReadFile(path)
				t.Errorf("%s in %s: not as before:\n%s\nwas\n%s\n%.300q", name, f.file, after, before, now)
			}
		}
	}
	t.Logf("%d files of the corpus in %d places: %d changed and restored, %d refused", len(texts), len(sharedFiles), changed, refused)
	if changed < 100 || refused < 50 {
		t.Errorf("%d were changed and %d refused, which is too few to prove anything", changed, refused)
	}
}

func TestKinds_installedAndUninstalled(t *testing.T) {
	t.Parallel()
	const text = "{\n  \"a\": 1\n}\n"
	for _, c := range []struct {
		name    string
		make    func(path string) error
		refused bool
	}{
		{"private", func(p string) error { return os.Chmod(p, 0o600) }, false},
		{"executable", func(p string) error { return os.Chmod(p, 0o755) }, false},
		{"read-only", func(p string) error { return os.Chmod(p, 0o444) }, true},
		{"link", func(p string) error {
			return errors.Join(os.Rename(p, p+".real"), os.Symlink(filepath.Base(p)+".real", p))
		}, false},
		{"link to a link", func(p string) error {
			return errors.Join(os.Rename(p, p+".real"), os.Symlink(p+".real", p+".mid"), os.Symlink(p+".mid", p))
		}, false},
		{"hard link", func(p string) error { return os.Link(p, p+".second") }, true},
		{"dangling link", func(p string) error { return errors.Join(os.Remove(p), os.Symlink("nowhere", p)) }, true},
		{"link to itself", func(p string) error { return errors.Join(os.Remove(p), os.Symlink(filepath.Base(p), p)) }, true},
		{"folder", func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o755)) }, true},
		{"missing", os.Remove, false},
	} {
		s := newSetup(t)
		path := filepath.Join(s.Place.Home, ".claude", "settings.json")
		put(t, path, text)
		if err := c.make(path); err != nil {
			t.Fatal(err)
		}
		before := tree(t, s.Place.Home)
		list, _ := Named([]string{"claude"})
		p, err := s.PlanInstall(list, versions, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.Refused()) > 0; got != c.refused {
			t.Errorf("%s: refused is %v: %v", c.name, got, p.Refused())
		}
		if err := s.Apply(p); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.refused {
			if now, _ := os.ReadFile(path); !bytes.Contains(now, []byte(agents.Command)) {
				t.Errorf("%s: nothing was installed", c.name)
			}
		}
		uninstall(t, s)
		if after := tree(t, s.Place.Home); after != before {
			t.Errorf("%s: not as before:\n%s\nwas\n%s", c.name, after, before)
		}
	}
}

func TestAll_installedAndUninstalled(t *testing.T) {
	t.Parallel()
	for _, project := range []bool{false, true} {
		s := newSetup(t)
		if project {
			s.Place.Project = t.TempDir()
		}
		before := tree(t, s.Place.Home)
		install(t, s)
		one := tree(t, s.Place.Home)
		if p := install(t, s); !p.Empty() || tree(t, s.Place.Home) != one {
			t.Errorf("project %v: a second installation changed something", project)
		}
		uninstall(t, s, "codex") // the skill stays, because other agents use it
		top := s.Place.Home
		if project {
			top = s.Place.Project
		}
		if _, err := os.Stat(filepath.Join(top, ".agents", "skills", "git-resume", "SKILL.md")); err != nil {
			t.Error(err)
		}
		uninstall(t, s)
		if after := tree(t, s.Place.Home); after != before {
			t.Errorf("project %v: left behind:\n%s", project, after)
		}
		if project {
			if left, _ := os.ReadDir(s.Place.Project); len(left) > 0 {
				t.Errorf("left in the project: %v", left)
			}
		}
	}
}

func TestUninstall_keepsLaterChanges(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	settings := filepath.Join(s.Place.Home, ".claude", "settings.json")
	put(t, settings, "{\n  \"model\": \"opus\"\n}\n")
	install(t, s)
	text, _ := os.ReadFile(settings)
	put(t, settings, strings.Replace(string(text), "opus", "sonnet", 1))
	skill := filepath.Join(s.Place.Home, ".agents", "skills", "git-resume", "SKILL.md")
	put(t, skill, "mine")
	p := uninstall(t, s)
	if now, _ := os.ReadFile(settings); string(now) != "{\n  \"model\": \"sonnet\"\n}\n" {
		t.Errorf("the settings are %q", now)
	}
	if now, _ := os.ReadFile(skill); string(now) != "mine" || len(p.Refused()) != 1 {
		t.Errorf("the changed skill is %q, %v", now, p.Refused())
	}
}

func TestUninstall_withoutRecord(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	install(t, s)
	if err := os.RemoveAll(s.State); err != nil {
		t.Fatal(err)
	}
	uninstall(t, s)
	err := filepath.WalkDir(s.Place.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if text, _ := os.ReadFile(path); bytes.Contains(text, []byte("git-resume")) {
			t.Errorf("%s still has\n%s", path, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestApply_changedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	settings := filepath.Join(s.Place.Home, ".claude", "settings.json")
	put(t, settings, "{}\n")
	list, _ := Named([]string{"claude"})
	p, err := s.PlanInstall(list, versions, false)
	if err != nil {
		t.Fatal(err)
	}
	put(t, settings, "{\"new\": 1}\n")
	var changed *ChangedError
	if err := s.Apply(p); !errors.As(err, &changed) {
		t.Errorf("the error is %v", err)
	}
	if now, _ := os.ReadFile(settings); string(now) != "{\"new\": 1}\n" {
		t.Errorf("the file is %q", now)
	}
	uninstall(t, s)
	if now, _ := os.ReadFile(settings); string(now) != "{\"new\": 1}\n" {
		t.Errorf("after uninstall the file is %q", now)
	}
}

// TestApply_several lets several installers run at the same time. Each hook is installed only once, and an uninstallation restores
// everything.
func TestApply_several(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	settings := filepath.Join(s.Place.Home, ".claude", "settings.json")
	put(t, settings, "{\n  \"a\": 1\n}\n")
	before := tree(t, s.Place.Home)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { install(t, s) })
	}
	wait.Wait()
	now, _ := os.ReadFile(settings)
	if n := strings.Count(string(now), agents.Command); n != 6 {
		t.Errorf("%d hooks are installed:\n%s", n, now)
	}
	uninstall(t, s)
	if after := tree(t, s.Place.Home); after != before {
		t.Errorf("left behind:\n%s", after)
	}
}

// A link inside a project may come from anybody's commit, and is not followed.
func TestProject_followsNoLink(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.Place.Project = t.TempDir()
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(s.Place.Project, ".claude")); err != nil {
		t.Fatal(err)
	}
	p := install(t, s, "claude")
	if len(p.Refused()) != 2 {
		t.Errorf("refused: %v", p.Refused())
	}
	if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
		t.Errorf("written through the link: %v", left)
	}
}

func TestUntrusted(t *testing.T) {
	t.Parallel()
	hook := func(event, command, status string) string {
		return fmt.Sprintf(`{"eventName":%q,"command":%q,"trustStatus":%q}`, event, command, status)
	}
	answer := func(hooks ...string) string {
		return `{"id":1,"result":{}}` + "\n" + `{"method":"x"}` + "\n" + `{"id":2,"result":{"data":[{"cwd":"/w","hooks":[` + strings.Join(hooks, ",") + `]}]}}` + "\n"
	}
	for _, c := range []struct {
		text string
		want string
		ok   bool
	}{
		{answer(hook("stop", agents.Command, "trusted"), hook("stop", "other", "untrusted")), "", true},
		{answer(hook("stop", agents.Command, "untrusted"), hook("sessionEnd", agents.Command, "modified")), "stop sessionEnd", true},
		{answer(hook("stop", "other", "trusted")), "", false}, {`{"id":2,"error":{"message":"unknown method"}}`, "", false}, {"", "", false}, {"no JSON\n", "", false},
	} {
		got, err := untrusted(strings.NewReader(c.text))
		if strings.Join(got, " ") != c.want || (err == nil) != c.ok {
			t.Errorf("%s: %v, %v", c.text, got, err)
		}
	}
}

func TestUninstall_removesWhatAKillLeft(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	put(t, filepath.Join(s.Place.Home, ".claude", "settings.json"), "{}\n")
	before := tree(t, s.Place.Home)
	install(t, s, "claude")
	put(t, filepath.Join(s.State, ".agents.json"+dotgit.TempMark()+"-123"), "{")
	uninstall(t, s)
	if after := tree(t, s.Place.Home); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if _, err := os.Lstat(s.State); err == nil {
		t.Error("the folder of the record is still there")
	}
}

// former turns what is installed into what an earlier version installed: the same with the command of that version.
func former(t testing.TB, s *Setup) {
	t.Helper()
	old := strings.NewReplacer("; git-resume agent-event", "; exec git-resume agent-event", " 2>/dev/null || exit 0", "")
	r, err := s.load()
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Files {
		f := &r.Files[i]
		text, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		at := map[int]int{} // how far the positions of later edits move
		for n := range f.Edits {
			e := &f.Edits[n]
			was, place := len(e.Text), e.At
			e.Text, e.Tail = old.Replace(e.Text), old.Replace(e.Tail)
			for from, by := range at {
				if place > from {
					e.At += by
				}
			}
			at[place] += len(e.Text) - was
		}
		put(t, f.Path, old.Replace(string(text)))
		f.After = hash([]byte(old.Replace(string(text))))
	}
	if err := s.save(r); err != nil {
		t.Fatal(err)
	}
}

// Hooks of an earlier version are renewed by the next installation and by the renewal of doctor, and an uninstallation restores the file
// exactly, whether the hooks were renewed or not.
func TestFormer_renewedAndUninstalled(t *testing.T) {
	t.Parallel()
	const every = 7 // of the corpus, to save time
	renew := map[string]func(*Setup, string){
		"not at all":     func(*Setup, string) {},
		"by an install":  func(s *Setup, agent string) { install(t, s, agent) },
		"by the renewal": func(s *Setup, _ string) { renewed(t, s) },
	}
	texts := corpus()
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if i%every != 0 {
			continue
		}
		for how, renew := range renew {
			for _, f := range sharedFiles {
				s := newSetup(t)
				path := filepath.Join(s.Place.Home, f.file)
				put(t, path, texts[name])
				before := tree(t, s.Place.Home)
				install(t, s, f.agent)
				want := tree(t, s.Place.Home)
				former(t, s)
				renew(s, f.agent)
				if after := tree(t, s.Place.Home); how != "not at all" && withoutRecord(after) != withoutRecord(want) {
					t.Errorf("%s in %s, renewed %s:\n%s\nwanted\n%s", name, f.file, how, after, want)
				}
				uninstall(t, s)
				if after := tree(t, s.Place.Home); after != before {
					now, _ := os.ReadFile(path)
					t.Errorf("%s in %s, renewed %s: not as before:\n%s\nwas\n%s\n%.300q", name, f.file, how, after, before, now)
				}
			}
		}
	}
}

// renewed renews the hooks and checks that afterwards there is nothing to renew.
func renewed(t testing.TB, s *Setup) {
	t.Helper()
	for range 2 {
		list, p, err := s.PlanRenewal(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Apply(p); err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			return
		}
	}
	t.Error("after a renewal there are still former hooks")
}

// withoutRecord leaves the record out of a listing of files.
func withoutRecord(tree string) string {
	var b strings.Builder
	for line := range strings.Lines(tree) {
		if !strings.Contains(line, "agents.json") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Without its record, a file of ours with the former command is still known as ours.
func TestFormer_withoutRecord(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		s := newSetup(t)
		install(t, s)
		want := tree(t, s.Place.Home)
		former(t, s)
		if err := os.RemoveAll(s.State); err != nil {
			t.Fatal(err)
		}
		if again {
			if p := install(t, s); len(p.Refused()) > 0 || withoutRecord(tree(t, s.Place.Home)) != withoutRecord(want) {
				t.Errorf("installed again: refused %v", p.Refused())
			}
		}
		uninstall(t, s)
		for _, file := range []string{".claude/settings.json", ".codex/hooks.json", ".copilot/hooks/git-resume.json", ".gemini/extensions/git-resume/hooks/hooks.json"} {
			if text, _ := os.ReadFile(filepath.Join(s.Place.Home, file)); bytes.Contains(text, []byte("git-resume")) {
				t.Errorf("%s still has\n%s", file, text)
			}
		}
	}
}

// Two installers with different plans: the one that comes too late must not describe the file as it would have written it.
func TestApply_severalPlans(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	settings := filepath.Join(s.Place.Home, ".claude", "settings.json")
	put(t, settings, "{\n  \"a\": 1\n}\n")
	before := tree(t, s.Place.Home)
	list, _ := Named([]string{"claude"})
	late, err := s.PlanInstall(list, versions, false)
	if err != nil {
		t.Fatal(err)
	}
	install(t, s, "claude") // with the task list
	var changed *ChangedError
	if err := s.Apply(late); !errors.As(err, &changed) {
		t.Errorf("the error is %v", err)
	}
	uninstall(t, s)
	if after := tree(t, s.Place.Home); after != before {
		now, _ := os.ReadFile(settings)
		t.Errorf("left behind:\n%s\n%s", after, now)
	}
}
