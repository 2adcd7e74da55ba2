package record

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/git-resume/git-resume/worktree/treetest"
)

// File names need not be UTF-8. A record must return them unchanged.
func FuzzRecord_keepsAnyName(f *testing.F) {
	f.Add("plain/path", "gitdir: /x\n")
	f.Add("\xff\xfe", `"quoted"`)
	f.Add(`"`, "\\x00")
	f.Fuzz(func(t *testing.T, path, text string) {
		want := Record{Version: 1, Run: treetest.Job, Phase: Gone, Path: Exact(path), GitFile: Exact(text), Nested: []Exact{Exact(path)},
			Modules: []Module{{Path: Exact(text), GitFile: Exact(path)}}}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Record
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// FuzzRecord_read checks that a record that was read stays the same when it is written and read again.
func FuzzRecord_read(f *testing.F) {
	f.Add([]byte(`{"v":1,"run":"job-ab2c","at":"2030-01-02T03:04:05Z","phase":"gone","path":"\"\\xff\"","modules":[{"path":"m"}]}`))
	f.Add([]byte(`{"v":1,"ph`))
	f.Add([]byte(`{"path":"\"","nested":[null,"\ud800"]}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, File), data, 0o644); err != nil {
			t.Fatal(err)
		}
		got, found, err := Load(dir)
		if err != nil || !found {
			return
		}
		text, err := json.Marshal(got)
		if err != nil {
			return // JSON cannot represent this value of time.Time
		}
		var again Record
		if err := json.Unmarshal(text, &again); err != nil || !again.At.Equal(got.At) {
			t.Fatalf("%q was read, and written as %s: %v", data, text, err)
		}
		if again.At = got.At; !reflect.DeepEqual(again, got) {
			t.Fatalf("%+v, then %+v", got, again)
		}
	})
}
