package journal

import (
	"reflect"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
)

// Every field of a task must survive in the cache, alone and together with others. The test also covers fields that are
// added to the struct later.
func TestCache_keepsEveryValueOfATask(t *testing.T) {
	at := time.Date(2026, 11, 16, 8, 58, 56, 766279000, time.UTC)
	usual := checkpoint.Task{ID: "t0", Title: "a title, é", State: checkpoint.Done, Attempt: "a.1", Attempts: 2, Commit: "c", Tree: "d", Patch: "p",
		FromHead: "h", Started: at, Ended: at.Add(time.Minute), Command: "hash", LastSeq: 7}
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 2*3600)} {
		usual.Ended = usual.Ended.In(zone)
		check(t, "usual", []checkpoint.Task{usual, {}, usual}, true)
	}
	reset := usual
	reset.Undone = []string{"tree", "patch", "tree2"}
	check(t, "with reset results", []checkpoint.Task{reset, usual, reset}, true)
	kind := reflect.TypeFor[checkpoint.Task]()
	for i := range kind.NumField() {
		alone, beside := checkpoint.Task{}, usual
		fill(t, reflect.ValueOf(&alone).Elem().Field(i), at)
		fill(t, reflect.ValueOf(&beside).Elem().Field(i), at)
		if reflect.DeepEqual(alone, checkpoint.Task{}) {
			t.Fatalf("%s was not filled", kind.Field(i).Name)
		}
		check(t, kind.Field(i).Name, []checkpoint.Task{usual, alone, beside, usual}, false)
	}
	for _, text := range []string{"\x1e", "\x1f", "a\nb", "{", `{"id":"x"}`, "\t", " ", "a\x1fb\x1e{", "\x7f", "\u2028", "a b", ""} {
		for i := range kind.NumField() {
			if odd := usual; kind.Field(i).Type.Kind() == reflect.String {
				reflect.ValueOf(&odd).Elem().Field(i).SetString(text)
				check(t, kind.Field(i).Name+" of odd text", []checkpoint.Task{usual, odd, usual}, false)
			}
		}
		odd := usual
		odd.Undone = []string{"tree", text, "patch"}
		check(t, "reset results of odd text", []checkpoint.Task{usual, odd, usual}, false)
	}
}

func fill(t *testing.T, v reflect.Value, at time.Time) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("some text")
	case reflect.Int, reflect.Int64:
		v.SetInt(1 << 40)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), at)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, at)
		fill(t, value, at)
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), at)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(at))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i), at)
			}
		}
	default:
		t.Fatalf("a task has a %s, which this test cannot fill", v.Kind())
	}
}

func check(t *testing.T, what string, tasks []checkpoint.Task, inColumns bool) {
	t.Helper()
	text, err := appendTasks(nil, tasks)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := parseTasks(string(text[1:]))
	if !ok || asJSON(got) != asJSON(tasks) {
		t.Errorf("%s: from %q came\n%s\nwant\n%s", what, text, asJSON(got), asJSON(tasks))
	}
	if inColumns && fitsColumns(&tasks[0]) != inColumns {
		t.Errorf("%s: it is not in columns", what)
	}
}
