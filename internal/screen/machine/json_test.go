package machine

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
)

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// keys lists the JSON keys of a type in the notation of the documentation, for example runs[].id.
func keys(typ reflect.Type, prefix string) []string {
	switch typ.Kind() {
	case reflect.Pointer:
		return keys(typ.Elem(), prefix)
	case reflect.Slice:
		return keys(typ.Elem(), prefix+"[]")
	case reflect.Struct:
	default:
		return nil
	}
	var out []string
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		path := strings.TrimPrefix(prefix+"."+name, ".")
		out = append(append(out, path), keys(typ.Field(i).Type, path)...)
	}
	return out
}

func TestJSON_everyKeyIsDocumented(t *testing.T) {
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(document(t, "json.md"), -1) {
		documented = append(documented, m[1])
	}
	emitted := keys(reflect.TypeFor[jsonStatus](), "")
	for _, k := range emitted {
		if !slices.Contains(documented, k) {
			t.Errorf("docs/json.md does not tell of %s", k)
		}
	}
	for _, k := range documented {
		if !slices.Contains(emitted, k) {
			t.Errorf("docs/json.md tells of %s, which is not there", k)
		}
	}
}

func TestPorcelain_everyFieldIsDocumented(t *testing.T) {
	var out bytes.Buffer
	m := candidate.Summary{Run: checkpoint.Run{ID: "job-abcd", Tasks: []checkpoint.Task{{ID: "a"}}}}
	if err := Porcelain(&out, []candidate.Summary{m}, true, false, true); err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(document(t, "porcelain.md"), "\n## ")
	for _, record := range strings.Split(strings.TrimRight(out.String(), "\n"), "\n")[1:] {
		fields := strings.Split(record, "\t")
		rows := 0
		for _, s := range sections {
			if strings.HasPrefix(s, fields[0]+"\n") {
				rows = strings.Count(s, "\n| ") - 1
			}
		}
		if rows != len(fields) {
			t.Errorf("docs/porcelain.md tells of %d fields of %s, the program gives %d", rows, fields[0], len(fields))
		}
	}
}

func TestPorcelain_recordsCanBeToldApart(t *testing.T) {
	for _, text := range []string{"plain", "tab\there", "line\nbreak", `"quoted"`, "ä", `back\slash`, "\x1b[31m", ""} {
		m := candidate.Summary{Run: checkpoint.Run{ID: "job-abcd", Cause: text}, Path: text}
		for _, nul := range []bool{false, true} {
			var out bytes.Buffer
			if err := Porcelain(&out, []candidate.Summary{m}, false, nul, true); err != nil {
				t.Fatal(err)
			}
			end := "\n"
			if nul {
				end = "\x00"
			}
			records := strings.Split(out.String(), end)
			if len(records) != 3 || strings.Count(records[1], "\t") != 14 {
				t.Errorf("%q, -z %v: %q", text, nul, out.String())
			}
		}
	}
}

func TestDocument_showsWhatHides(t *testing.T) {
	for _, text := range []string{"plain é", "a\u200bb", "x\U000e0041y", "\u202e\ufeff\u00ad", "\x1b[31m\n\t", "❤\ufe0f"} {
		var out bytes.Buffer
		if err := Document(&out, map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(strings.TrimSuffix(out.String(), "\n"), quote.Hidden) {
			t.Errorf("%q is written as %q", text, out.String())
		}
		var back map[string]string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["text"] != text {
			t.Errorf("%q is written as %s and read as %q: %v", text, out.String(), back["text"], err)
		}
	}
}
