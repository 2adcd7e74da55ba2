package gitstate

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// FuzzLoose: an object is read as it was written, and a damaged one is an error, or itself.
func FuzzLoose(f *testing.F) {
	f.Add([]byte("text\n"), "blob", 5, 3, byte(1))
	f.Add([]byte{}, "tree", 0, 0, byte(0))
	f.Add([]byte("x"), "commit\x00", 1<<40, 9, byte(255))
	f.Fuzz(func(t *testing.T, data []byte, kind string, size, at int, flip byte) {
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		fmt.Fprintf(z, "%s %d\x00", kind, size)
		_, _ = z.Write(data)
		_ = z.Close()
		gotKind, got, err := readLoose(bytes.NewReader(packed.Bytes()))
		known := kind == "blob" || kind == "tree" || kind == "commit" || kind == "tag"
		if known && size == len(data) && (err != nil || gotKind != kind || !bytes.Equal(got, data)) {
			t.Fatalf("%s %q is read as %s %q, %v", kind, data, gotKind, got, err)
		}
		if err == nil && len(got) != size {
			t.Fatalf("%d bytes, and the object says %d", len(got), size)
		}
		raw := packed.Bytes()
		if at >= 0 && at < len(raw) && flip != 0 {
			raw[at] ^= flip
			_, _, _ = readLoose(bytes.NewReader(raw))
		}
		_, _, _ = readLoose(bytes.NewReader(data))
	})
}

// FuzzOngoing puts texts into the files of operations that are under way, and reads them as far as they go.
func FuzzOngoing(f *testing.F) {
	f.Add("rebase-merge", "refs/heads/topic\n", "pick 123 x\nexec make\n", "7")
	f.Add("rebase-apply", "\x00\xff", "From: \n\n", "99999999999999999999")
	f.Add("MERGE_HEAD", someID, "Merge branch 'x'\n", "-1")
	f.Add("sequencer", "todo", "revert abc y", "\x1b[31m")
	f.Add("BISECT_LOG", "git bisect start\n", "good", "bad")
	r := gittest.Git{}.Fresh(f, "repo")
	place := Place{CommonDir: filepath.Join(r.Dir, ".git"), WorkTree: r.Dir}
	f.Fuzz(func(t *testing.T, kind, one, two, three string) {
		dir := t.TempDir()
		folder := map[string]bool{"rebase-merge": true, "rebase-apply": true, "sequencer": true, "NOTES_MERGE_WORKTREE": true}
		names := []string{"MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "BISECT_START", "NOTES_MERGE_PARTIAL", "AUTO_MERGE", "ORIG_HEAD"}
		if folder[kind] {
			names = []string{"head-name", "onto", "orig-head", "git-rebase-todo", "done", "msgnum", "end", "next", "last", "message", "stopped-sha", "amend", "todo", "head", "opts", "applying", "rebasing", "author-script", "interactive"}
			dir = filepath.Join(dir, kind)
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for i, name := range names {
			text := []string{one, two, three, ""}[(i+len(one))%4]
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		at := place
		if at.GitDir = dir; folder[kind] {
			at.GitDir = filepath.Dir(dir)
		}
		x := &reading{ctx: t.Context(), repo: Open(at, nil), asked: true, names: map[string]bool{}}
		entries, err := os.ReadDir(at.GitDir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			x.names[e.Name()] = true
		}
		readers := []func(*reading) (Ongoing, bool){readMerge, readRebase, readPick, readBisect, readNotesMerge}
		if kind == "rebase-apply" {
			readers = append(readers, readApply) // it asks git, which takes its time
		}
		for _, read := range readers {
			o, ok := read(x)
			if !ok {
				continue
			}
			if o.Step < 0 || o.Of < 0 || o.Left < 0 {
				t.Fatalf("%s: step %d of %d, %d left", o.Op, o.Step, o.Of, o.Left)
			}
			for _, id := range append([]OID{o.Onto, o.Orig, o.Autostash}, o.Heads...) {
				if id != "" && !IsOID(string(id)) {
					t.Fatalf("%s names %q", o.Op, id)
				}
			}
		}
	})
}

// FuzzGitFile: a file leads where git says that it leads, or nowhere.
func FuzzGitFile(f *testing.F) {
	for _, text := range []string{"gitdir: ../x\n", "gitdir: /abs\r\n", "gitdir:", "gitdir: \n", "\x00", "gitdir: a\nb"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), ".git")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		to, ok, err := readGitFile(path)
		rest, is := strings.CutPrefix(text, "gitdir: ")
		switch {
		case ok != is || ok == (err != nil):
			t.Fatalf("%q: %v, %v", text, ok, err)
		case ok && (!filepath.IsAbs(to) || filepath.IsAbs(rest) && to != filepath.Clean(strings.TrimRight(rest, "\r\n"))):
			t.Fatalf("%q leads to %q", text, to)
		}
	})
}

// FuzzColour: a setting is a colour or nothing, and never another word to the terminal.
func FuzzColour(f *testing.F) {
	for _, text := range []string{"bold red", "#12aBcF ul", "normal 255", "no-bold default", "\x1b]0;x\a", "reset 7 8 9"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		code, ok := colour(text)
		if !ok && code != "" || strings.Trim(strings.TrimSuffix(strings.TrimPrefix(code, "\x1b["), "m"), "0123456789;") != "" {
			t.Fatalf("%q is %q", text, code)
		}
	})
}
