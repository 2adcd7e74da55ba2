package plan

import (
	"reflect"
	"regexp"
	"testing"
	"unicode/utf8"
)

// requireSound checks the properties that every accepted plan must have.
func requireSound(t *testing.T, p Plan) {
	t.Helper()
	stored := p.Canonical()
	back, err := Decode(stored)
	if err != nil {
		t.Fatalf("stored plan cannot be read: %v\n%s", err, stored)
	}
	if !reflect.DeepEqual(back, p) {
		t.Fatalf("stored plan differs:\n got %+v\nwant %+v", back, p)
	}
	if err := p.Check(); err != nil {
		t.Fatalf("an accepted plan has faults: %v", err)
	}
	order := p.Order()
	if len(order) != len(p.Tasks) {
		t.Fatalf("order has %d of %d tasks", len(order), len(p.Tasks))
	}
	before := map[string]bool{}
	for _, task := range order {
		for _, need := range task.Needs {
			if !before[need] {
				t.Fatalf("%s comes before %s, which it needs", task.ID, need)
			}
		}
		before[task.ID] = true
	}
	if len(before) != len(p.Tasks) {
		t.Fatalf("order repeats a task: %+v", order)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("plan.yaml", []byte(migrateAuth))
	f.Add("plan.json", migrateAuthPlan.Canonical())
	f.Add("plan", []byte("tasks:\n- &a {id: x, needs: [y]}\n- *a\n---\n"))
	f.Add("s/tasks.md", []byte("# T\n## P\n- [x] 1. a\n  - [ ]* 1.1 **b** <!-- c -->\n```\n- [ ] d\n```\n* [~] ~~T001 [P] e~~ (optional)\n"))
	f.Add("s/tasks.md", []byte("- [ ] `<!--` a\n- [ ] <!--\n1. [done] b -->\n\t- [ ] c\n"))
	f.Add("x.json", []byte(`{"tasks":[{"id":1,"inputs":["./a//"],"ask":"\u001b?","options":[1,true]}]}`))
	f.Add("\xff", []byte("tasks: [{id: a, title: \"\\e\\u202e\"}]"))
	f.Fuzz(func(t *testing.T, file string, data []byte) {
		p, err := parseText(file, data)
		if err != nil {
			for _, fault := range faultsOf(t, err) {
				if fault.What == "" || fault.Cure == "" || fault.Line < 0 || !utf8.ValidString(fault.Error()) {
					t.Fatalf("incomplete fault %+v", fault)
				}
			}
			return
		}
		if len(p.Tasks) == 0 {
			t.Fatal("a plan without tasks was accepted")
		}
		requireSound(t, p)
		again, err := parseText("again.json", p.Canonical())
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("the stored form is not a JSON plan: %+v, %v", again, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(migrateAuthPlan.Canonical())
	f.Add([]byte(`{"name":"x","tasks":[],"later":{"a":[null,1.5e9]}}`))
	f.Add([]byte(`{"name":"x","tasks":[{"id":"a","needs":["b"]},{"id":"b","needs":["a"]}]}`))
	f.Add([]byte(`{"name":"x","tasks":[{"id":"a","timeout":"9h","retries":-0}]}{`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(data)
		if err != nil {
			faultsOf(t, err)
			return
		}
		requireSound(t, p)
	})
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"", "Migrate Auth", "--", "日本", "a\x00b\xffc", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbb"} {
		f.Add(s)
	}
	shape := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, s string) {
		slug := Slug(s)
		if len(slug) > maxSlug || !shape.MatchString(slug) {
			t.Fatalf("Slug(%q) = %q", s, slug)
		}
		if again := Slug(slug); again != slug {
			t.Fatalf("Slug(%q) = %q, and of that %q", s, slug, again)
		}
	})
}

func FuzzFromFlags(f *testing.F) {
	f.Add("x", "a", "b: c", "free text")
	f.Add("x", "a", "a", "-")
	f.Add("\x1b", "写", "写", ": ")
	f.Fuzz(func(t *testing.T, name, a, b, c string) {
		p, err := FromFlags(name, []string{a, b, c})
		if err != nil {
			faultsOf(t, err)
			return
		}
		requireSound(t, p)
	})
}
