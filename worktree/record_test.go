package worktree

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Names of files need not be UTF-8; a record must bring them back as they are.
func FuzzRecord_keepsAnyName(f *testing.F) {
	f.Add("plain/path", "gitdir: /x\n")
	f.Add("\xff\xfe", `"quoted"`)
	f.Add(`"`, "\\x00")
	f.Fuzz(func(t *testing.T, path, text string) {
		want := record{Version: 1, Run: job, Phase: phaseGone, Path: exact(path), GitFile: exact(text), Nested: []exact{exact(path)},
			Modules: []module{{Path: exact(text), GitFile: exact(path)}}}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got record
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

func TestLoadRecord_damageIsAnError(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	f.discard(tree)
	f.write(".git/resume/trash/"+job+"/"+recordFile, `{"v":1,"ph`)
	if _, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock}); err == nil {
		t.Error("a damaged record was believed")
	}
}
