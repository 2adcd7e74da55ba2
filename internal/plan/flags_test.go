package plan

import (
	"reflect"
	"testing"
)

func TestFromFlags_takesIDsTitlesAndFreeText(t *testing.T) {
	t.Parallel()
	p, err := FromFlags(" Move Auth ", []string{"schema", "backfill: fill the column ", "Update the handlers!", "update-the-handlers", "https://x.y/z", "写", " a:b "})
	want := Plan{Name: "Move Auth", Tasks: []Task{
		{ID: "schema"},
		{ID: "backfill", Title: "fill the column"},
		{ID: "update-the-handlers-2", Title: "Update the handlers!"},
		{ID: "update-the-handlers"},
		{ID: "https-x-y-z", Title: "https://x.y/z"},
		{ID: "task-62df74", Title: "写"},
		{ID: "a-b", Title: "a:b"},
	}}
	if err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestFromFlags_withoutTasksIsAPlanThatCanBeStored(t *testing.T) {
	t.Parallel()
	p, err := FromFlags("x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Decode(p.Canonical()); err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("got %+v, %v", back, err)
	}
}

func TestFromFlags_refuses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, run string
		tasks     []string
		want      string
	}{
		{"no name", " ", nil, "the plan has no name"},
		{"name of two lines", "a\nb", nil, `the name 'a\nb' has a control character`},
		{"name that is not UTF-8", "\xff", nil, "the name '\ufffd' is not UTF-8 text"},
		{"task that is not UTF-8", "x", []string{"a", "\xff b"}, "task 2, '\ufffd b', is not UTF-8 text"},
		{"empty task", "x", []string{"a", " "}, "task 2 has no text"},
		{"task of control characters", "x", []string{"\x1b"}, "task 1 has no text"},
		{"id twice", "x", []string{"a: one", "a: two"}, "the task id 'a' is used twice"},
		{"too many", "x", make([]string, maxTasks+1), "task 1 has no text"},
	} {
		p, err := FromFlags(row.run, row.tasks)
		if err == nil || faultsOf(t, err)[0].Error() != row.want || !reflect.DeepEqual(p, Plan{}) {
			t.Errorf("%s: got %+v, %v, want %s", row.name, p, err, row.want)
		}
	}
}
