package conflicts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts"
)

// regressions lists scenarios in which the builtin engine once disagreed with git. The field "why" says what git does there.
var regressions = []struct {
	name, why string
	scenario  scenario
}{
	{"copy_in_new_directory", "of two identical targets git takes the one outside of directories that only one side touched",
		scenario{
			tree{"a/f": {script, "0"}, "c/x": {module, strings.Repeat("1", 40)}, "x": text("4\n0\n5\n2\n1\n8\n1\n")},
			tree{"a/x/h": text("1\n0\n5\n9\n16\n13\n3\n"), "c/x": {module, strings.Repeat("1", 40)}, "h": {script, "0"}},
			tree{"a/y/g": {script, "0"}, "b/f": {module, strings.Repeat("1", 40)}, "h": {script, "0"}, "n": text("2\n0\n2\n13\n")}}},
	{"copies_in_two_new_directories", "directories that are put off come in the order of git's hash table",
		scenario{
			tree{"a/g": {link, "../g"}, "b/f": {link, "../g"}},
			tree{"a/x/f": {link, "../g"}, "c/h": {link, "../g"}, "f": {script, "2\n0\n"}},
			tree{"a/g": {link, "../g"}}}},
	{"directory_where_a_file_was", "a directory in the place of a file is not put off",
		scenario{
			tree{"a/x": {link, "f"}, "mit leer": {link, "f"}},
			tree{"a/x/f": {link, "f"}, "f": {link, "f"}},
			tree{"f": {link, "f"}}}},
	{"equally_alike_targets", "among targets that are equally alike the first one met wins",
		scenario{
			tree{"g": {script, "0\n0\n0\n0\n0\n0\n0\n0\n0\n0"}},
			tree{"b/h": {script, "46\n0\n42\n1\n14\n0\n0\n0\n0\n0\n"}},
			tree{"a/y/f": {script, "0\r\n0\r\n0\r\n0\r\n0\r\n0\r\n0\r\n16\n3\n0\r\n0\r\n0"}, "b/q": {script, "0\r\n0\r\n0\r\n0\r\n0\r\n0\r\n0\r\n16\n3\n0\r\n0\r\n0"}}}},
	{"file_where_a_renamed_file_was_below", "a path in conflict that is deleted on both sides keeps no directory alive",
		scenario{
			tree{"a/x/f": {link, "f"}, "a/e": {script, "0"}},
			tree{"a/x": {link, "f"}},
			tree{"c/m": {link, "f"}}}},
	{"directory_moved_into_one_that_moved", "no file leaves a path at which the other side's files arrive",
		scenario{
			tree{"a/y/n": {module, strings.Repeat("3", 40)}, "b/f": {link, "f"}, "b/g": {module, strings.Repeat("1", 40)}, "c/m": text(long)},
			tree{"b/f": {link, "f"}, "b/q": text(long + "\x00")},
			tree{"a/s": {link, "f"}, "a/y/n": {module, strings.Repeat("3", 40)}, "c/q": text("3\n1\n2\n2\n2\n3\n0\n1")}}},
	{"renamed_onto_an_empty_file", "two files without a base merge if one of them is empty",
		scenario{
			tree{"a/f": text(long), "h": text("")},
			tree{"a/g": text(lines(30, map[int]string{5: "ours\n"}))},
			tree{"a/f": text(lines(30, map[int]string{25: "theirs\n"})), "a/g": text("")}}},
	{"renamed_onto_another_file", "and conflict if not",
		scenario{
			tree{"a/f": text(long), "h": text("")},
			tree{"a/g": text(lines(30, map[int]string{5: "ours\n"}))},
			tree{"a/f": text(lines(30, map[int]string{25: "theirs\n"})), "a/g": text("other\n")}}},
	{"directory_that_only_a_rename_brings", "git does not see a file and a directory meet where the directory is in no tree",
		scenario{
			tree{"a/g": text(""), "a/x/m": {script, "4\n"}, "a/x/n": text(""), "a/z": text("0\n4\n5\n"), "b/x": text("5\n3\n")},
			tree{"b/g": text(""), "b/x/m": {script, "4\n"}, "b/x/n": text(""), "b/z": text("0\n4\n5\n")},
			tree{"a/g": text(""), "a/x/n": text(""), "a/y/x": text("5\n3\n"), "a/z": text("0\n4\n5\n")}}},
	{"renamed_onto_the_same_file", "a change of mode comes along before the files are compared",
		scenario{
			tree{"a/n": text("16\n"), "c/e": text(long)},
			tree{"a/n": text("16\n"), "a/x": {script, long}, "c/e": {script, long}},
			tree{"a/n": {link, "f"}, "a/x": text(long)}}},
	{"copies_around_a_directory", "files of one directory need not follow each other",
		scenario{
			tree{"a/x/f": {link, "f"}, "a/x/z": {module, strings.Repeat("3", 40)}, "b/g": {module, strings.Repeat("3", 40)}},
			tree{"a/x/z": {module, strings.Repeat("3", 40)}, "c/g": {module, strings.Repeat("3", 40)}},
			tree{"*": {module, strings.Repeat("3", 40)}, "a/x/f": {link, "f"}, "b/f": {module, strings.Repeat("3", 40)}, "g": {module, strings.Repeat("3", 40)}}}},
	{"copies_below_a_directory_that_the_other_side_removed", "what one side removed and the other added to is walked at once, for both sides",
		scenario{
			tree{"a/g": text(long)},
			tree{},
			tree{"a/y/h": text("top\n" + long), "a/z": text("top\n" + long)}}},
	{"newline_in_the_name_of_a_renamed_file", "git writes the path into the marker, which then has two lines",
		scenario{
			tree{"n\nl": text(long)},
			tree{"n\nl": text(lines(30, map[int]string{7: "ours\n"}))},
			tree{"m": text(lines(30, map[int]string{7: "theirs\n"}))}}},
	{"common_lines_among_strangers", "a line that occurs too often is not matched where nothing around it matches",
		scenario{
			tree{"f": text(strangers("b", 20))},
			tree{"f": text(strangers("o", 15))},
			tree{"f": text(strangers("t", 20))}}},
	{"markers_in_the_file_itself", "the files may hold conflict markers of their own",
		scenario{
			tree{"f": text(long)},
			tree{"f": text(lines(30, map[int]string{7: "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"}))},
			tree{"f": text(lines(30, map[int]string{7: "=======\nc\n"}))}}},
	{"directory_in_the_base_where_ours_added_a_file", "git forgets what ours has there when it follows the renamed directory, and sees two types",
		scenario{
			tree{"a/g": text(long), "a/x/f": text("f\n")},
			tree{"a/g": text(long), "a/x": {module, strings.Repeat("3", 40)}},
			tree{"n/x/g": text(long), "n/x/x": {module, strings.Repeat("3", 40)}}}},
	{"directory_in_the_base_where_ours_added_a_file_2", "the same, with a file on the other side, which alone moves aside",
		scenario{
			tree{"a/g": text(long), "a/x/f": text("f\n")},
			tree{"a/g": text(long), "a/x": text("ours\n")},
			tree{"n/x/g": text(long), "n/x/x": text("theirs\n")}}},
	{"directory_in_the_base_where_ours_added_a_file_3", "the same, alone",
		scenario{
			tree{"a/g": text(long), "a/x/f": text("f\n")},
			tree{"a/g": text(long), "a/x": text("ours\n")},
			tree{"n/x/g": text(long)}}},
	{"directory_in_the_base_where_ours_moved_a_file", "the same, with a renamed file",
		scenario{
			tree{"a/g": text(long), "a/x/f": text("f\n"), "h": text("h\n" + long)},
			tree{"a/g": text(long), "a/x": text("h\n" + long)},
			tree{"n/x/g": text(long), "h": text("i\n" + long)}}},
	{"directory_in_the_base_where_ours_moved_a_file_2", "the same, which the other side removed",
		scenario{
			tree{"a/g": text(long), "a/x/f": text("f\n"), "h": text("h\n" + long)},
			tree{"a/g": text(long), "a/x": text("h\n" + long)},
			tree{"n/x/g": text(long)}}},
	{"directory_in_the_base_where_theirs_added_a_file", "theirs it does not forget",
		scenario{
			tree{"a/g": text(long), "a/x/f": text("f\n")},
			tree{"n/x/g": text(long), "n/x/x": text("ours\n")},
			tree{"a/g": text(long), "a/x": text("theirs\n")}}},
	{"files_of_a_directory_in_a_moved_one_part", "it is unclear where a directory went, even if only one above it has new files",
		scenario{
			tree{"a/y/h": {module, strings.Repeat("1", 40)}, "a/y/x": text(long)},
			tree{"g": text(long), "n/h": {module, strings.Repeat("1", 40)}},
			tree{"a/f": {link, "f"}, "a/y/h": {module, strings.Repeat("1", 40)}, "a/y/x": text(long)}}},
	{"file_added_deep_in_a_moved_directory", "it follows the nearest directory that is known to have moved, even if only one above that has new files",
		scenario{
			tree{"a/y/h": text("h\n" + long), "a/y/x": text(long), "a/z": text("z\n" + long)},
			tree{"n/h": text("h\n" + long), "n/x": text(long), "o/z": text("z\n" + long)},
			tree{"a/f": {link, "f"}, "a/y/d/e": text("e\n"), "a/y/h": text("h\n" + long), "a/y/x": text(long), "a/z": text("z\n" + long)}}},
	{"directory_where_the_other_side_still_has_the_file", "that is put off, since nothing happened there on the other side",
		scenario{
			tree{"a/k": text("k\n"), "a/x": text("x\n" + long), "b/n": text(long)},
			tree{"a/k": text("k\n"), "a/x/n": text(long), "q": text(long)},
			tree{"a/x": text("x\n" + long), "b/f": text("f\n"), "b/n": text(long), "f": text("other\n")}}},
	{"submodule_on_both_sides", "git prints advice behind its answer",
		scenario{
			tree{"m": {module, strings.Repeat("1", 40)}, "f": text(long)},
			tree{"m": {module, strings.Repeat("2", 40)}, "f": text("a\n" + long)},
			tree{"m": {module, strings.Repeat("3", 40)}, "f": text(long + "b\n")}}},
}

// strangers makes blocks of lines that occur in no other text, with empty lines between the blocks.
func strangers(mark string, blocks int) string {
	var b strings.Builder
	for i := range 20 * blocks {
		fmt.Fprintf(&b, "%s%d\n", mark, i)
		if i%20 == 19 {
			b.WriteString("\n\n\n\n\n")
		}
	}
	return b.String()
}

func TestRegression(t *testing.T) {
	needMergeTree(t)
	for _, tc := range regressions {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			if bad := disagreement(t, s, tc.scenario); bad != "" {
				t.Errorf("%s\n%s", tc.why, bad)
			}
			_, ours, theirs := s.commits(tc.scenario)
			byGit := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, Engine: conflicts.Git})
			for _, n := range byGit.Notes {
				if n.Code == conflicts.PlaceUnknown {
					t.Errorf("the place of %q: %s", n.Path, n.Text)
				}
			}
		})
	}
}

// If the name for a file that git moves aside is taken, git adds _0, _1 and so on. It continues with _10 after _9. The builtin engine
// once hung in this case.
func TestRegression_manyNamesAreTaken(t *testing.T) {
	s := newStore(t)
	sc := scenario{tree{"f": text("1")}, tree{"f": text("1"), "p": text("ours"), "p~me": text("x")}, tree{"f": text("1"), "p/q": text("theirs")}}
	for i := range 10 {
		sc.ours[fmt.Sprintf("p~me_%d", i)] = text("x")
	}
	_, ours, theirs := s.commits(sc)
	rep := check(t, s.repo, conflicts.Query{Ours: ours, Theirs: theirs, OursName: "me", Engine: conflicts.Builtin})
	if len(rep.Conflicts) != 1 || rep.Conflicts[0].Path != "p~me_10" {
		t.Errorf("%+v", rep.Conflicts)
	}
}
