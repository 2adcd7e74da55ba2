package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/git-resume/git-resume"

// heights gives each package a number. A package may import only packages with a smaller number, except in external tests and in testRooms.
// The gaps leave room for new packages.
var heights = map[string]int{
	"cmd/git-resume":                         110,
	"cmd/git-resume/early/record":            109,
	"cmd/git-resume/early":                   85,
	"internal/agents/heard":                  10,
	"internal/remotework":                    106,
	"internal/conversation":                  105,
	"internal/screen":                        104,
	"internal/screen/undo":                   103,
	"internal/screen/saved":                  103,
	"internal/screen/sharing":                103,
	"internal/screen/agentsetup":             103,
	"internal/screen/operation":              103,
	"internal/screen/others":                 103,
	"internal/screen/outcome":                102,
	"internal/screen/history":                101,
	"internal/screen/assessment":             101,
	"internal/screen/brief":                  101,
	"internal/screen/prompt":                 101,
	"internal/screen/status":                 100,
	"internal/screen/machine":                99,
	"internal/screen/advice":                 99,
	"internal/screen/words":                  98,
	"internal/handler":                       97,
	"internal/handler/repair":                95,
	"internal/handler/doctor":                95,
	"internal/handler/purge":                 95,
	"internal/handler/agentsetup":            95,
	"internal/handler/compare":               95,
	"internal/handler/resume":                94,
	"internal/handler/saved":                 94,
	"internal/handler/sharing":               94,
	"internal/handler/merge":                 93,
	"internal/handler/discard":               92,
	"internal/handler/reporting":             91,
	"internal/handler/start":                 90,
	"internal/assess":                        88,
	"internal/adopt":                         87,
	"internal/crew":                          87,
	"internal/staging":                       86,
	"internal/tasks":                         84,
	"internal/candidate":                     82,
	"internal/drivers":                       74,
	"internal/sessions":                      15,
	"internal/site":                          72,
	"internal/execution":                     80,
	"internal/exchange":                      80,
	"internal/sources/*":                     80, // one package for each workflow system other than git-resume
	"internal/condition":                     76,
	"internal/sources":                       70,
	"internal/commitlog":                     45,
	"internal/sources/orchestrate/statefile": 72,
	"internal/sources/orchestrate/story":     74,
	"internal/sources/planfolder":            72,
	"worktree/trash":                         62,
	"worktree":                               60,
	"worktree/snapshot":                      50,
	"worktree/series":                        47,
	"worktree/record":                        47,
	"worktree/forward":                       47,
	"worktree/place":                         46,
	"worktree/treetest":                      45,
	"conflicts":                              60,
	"conflicts/builtin":                      55,
	"conflicts/builtin/histogram":            20,
	"conflicts/clash":                        45,
	"conflicts/lines":                        10,
	"checkpoint":                             50,
	"checkpoint/owner":                       56,
	"checkpoint/journal":                     55,
	"checkpoint/clone":                       52,
	"checkpoint/files":                       51,
	"checkpoint/notes":                       51,
	"checkpoint/evidence":                    51,
	"checkpoint/commit":                      51,
	"checkpoint/lease":                       51,
	"hooks":                                  50,
	"gitstate/remote/remotetest":             42,
	"gitstate/remote":                        42,
	"gitstate/past":                          42,
	"gitstate/ongoing":                       42,
	"gitstate/repotest":                      41,
	"gitstate":                               40,
	"gitstate/store":                         38,
	"gitstate/refs":                          36,
	"gitstate/settings":                      34,
	"gitstate/process":                       32,
	"gitstate/guard":                         30,
	"gitstate/locate":                        25,
	"gitstate/index":                         26,
	"gitstate/object":                        10,
	"internal/screen/page":                   22,
	"internal/screen/phrase":                 20,
	"internal/plan":                          20,
	"internal/textdoc":                       15,
	"internal/textdoc/yamldoc":               16,
	"internal/agents":                        20,
	"internal/agents/splice":                 15,
	"internal/agents/session":                60,
	"internal/agents/mirror":                 60,
	"internal/handler/agentevent":            95,
	"internal/flock":                         20,
	"internal/prove/run":                     20,
	"internal/release/build":                 20,
	"internal/prove/hostile":                 60, // forges journal lines, which only checkpoint/journal may normally write
	"internal/proc":                          10,
	"internal/release":                       10,
	"internal/dotgit":                        10,
	"internal/manual":                        10,
	"internal/quote":                         10,
	"internal/exit":                          10,
	"completions":                            10,
}

// testRooms are packages that contain or support tests. Only tests and these packages themselves may import them.
var testRooms = []string{"internal/gittest", "internal/packaging", "internal/house", "internal/prove", "internal/prove/anywhere", "internal/prove/run", "internal/sources/sourcetest", "worktree/treetest", "gitstate/repotest", "bench", "internal/signal", "internal/agentlab"}

// vague lists package names that are forbidden, because they do not say what a package is for.
var vague = []string{"util", "utils", "common", "types", "helper", "helpers", "pkg", "misc", "base"}

// homes maps some libraries to the packages that may import them. Tests may also import os/exec.
var homes = map[string][]string{
	"os/exec":                  {"internal/proc", "internal/gittest"},
	"github.com/go-git/":       {"gitstate/object", "gitstate/past", "gitstate/refs"},
	"github.com/sergi/go-diff": {"conflicts/lines"},
	"github.com/urfave/cli":    {"cmd/git-resume"},
	"github.com/mattn/":        {"internal/screen/phrase"},
	"golang.org/x/term":        {"cmd/git-resume", "internal/execution"},
	"go.yaml.in/yaml":          {"internal/textdoc/yamldoc"},
}

// worldly lists the functions that read the clock, read the environment or end the process. It also lists the variable os.Args. Only
// commands, tests and a few tools may use these names.
var worldly = map[string][]string{
	"time": {"Now", "Since", "Until"},
	"os":   {"Getenv", "LookupEnv", "Environ", "Args", "Exit", "ExpandEnv"},
}

// source is one Go file of this project. Its path is relative to the top folder and uses slashes.
type source struct{ path, text string }

func (s source) room() string { return path.Dir(s.path) }

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// faultsOf checks the files against the rules in this file and returns what violates a rule.
func faultsOf(files []source) []string {
	var all []string
	documented := map[string]bool{}
	for _, s := range files {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, s.path, s.text, parser.ParseComments)
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		documented[s.room()] = documented[s.room()] || f.Doc != nil && !s.isTest()
		all = append(all, checkImports(s, f)...)
		all = append(all, checkCalls(s, f)...)
		all = append(all, checkShort(s, f)...)
		all = append(all, checkName(s, f)...)
	}
	for room, ok := range documented {
		if !ok {
			all = append(all, room+": the package has no comment")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func checkImports(s source, f *ast.File) []string {
	var out []string
	for _, spec := range f.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if room, ok := strings.CutPrefix(name, module+"/"); ok {
			if !strings.HasSuffix(f.Name.Name, "_test") { // an external test package may import any package
				out = append(out, checkHeight(s, room)...)
			}
			continue
		}
		out = append(out, checkHome(s, name)...)
	}
	return out
}

// checkHeight checks that a file imports only packages with a smaller number in the map heights. Tests in testRooms may import any package.
// Only tests and the packages in testRooms may import testRooms.
func checkHeight(s source, to string) []string {
	if slices.Contains(testRooms, to) {
		if s.isTest() || slices.Contains(testRooms, s.room()) {
			return nil
		}
		return []string{fmt.Sprintf("%s: imports %s, which is for tests", s.path, to)}
	}
	if slices.Contains(testRooms, s.room()) && s.isTest() {
		return nil
	}
	from, ok := heightOf(s.room())
	if !ok {
		return []string{fmt.Sprintf("%s: its room has no height", s.path)}
	}
	height, ok := heightOf(to)
	switch {
	case !ok:
		return []string{fmt.Sprintf("%s: imports %s, which has no height", s.path, to)}
	case height == from:
		return []string{fmt.Sprintf("%s: imports sideways: %s", s.path, to)}
	case height > from:
		return []string{fmt.Sprintf("%s: imports upwards: %s", s.path, to)}
	}
	return nil
}

// heightOf returns the number of a package in the map heights. An entry like "internal/sources/*" applies to all packages in that folder.
func heightOf(room string) (int, bool) {
	height, ok := heights[room]
	if !ok {
		height, ok = heights[path.Dir(room)+"/*"]
	}
	return height, ok
}

// checkHome checks that a library is imported only by the packages that the map "homes" lists for it, and that only parts of go-git are
// imported. Tests may also import os/exec.
func checkHome(s source, name string) []string {
	for library, rooms := range homes {
		if name != library && !strings.HasPrefix(name, library) {
			continue
		}
		if slices.Contains(rooms, s.room()) || library == "os/exec" && s.isTest() {
			continue
		}
		return []string{fmt.Sprintf("%s: imports %s, which lives in %s alone", s.path, name, strings.Join(rooms, " and "))}
	}
	const goGit = "github.com/go-git/go-git/v5"
	if name == goGit || strings.HasPrefix(name, goGit+"/storage/filesystem") {
		return []string{fmt.Sprintf("%s: imports %s, which opens repositories", s.path, name)}
	}
	if s.room() == "gitstate/refs" && strings.HasPrefix(name, goGit) && name != goGit+"/plumbing" {
		return []string{fmt.Sprintf("%s: imports %s, which is more than the names of refs", s.path, name)}
	}
	return nil
}

// checkShort forbids go-git's method Short for branches, because it loses part of a name with a wide space (U+3000). The function
// refs.Short must be used instead. Object ids have a method Short too, so checkShort recognizes branches and refs by the names of
// variables.
func checkShort(s source, f *ast.File) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Short" {
			return true
		}
		on := ""
		switch x := sel.X.(type) {
		case *ast.Ident:
			on = x.Name
		case *ast.SelectorExpr:
			on = x.Sel.Name
		}
		if low := strings.ToLower(on); strings.HasSuffix(low, "branch") || strings.HasSuffix(low, "ref") {
			out = append(out, fmt.Sprintf("%s: calls %s.Short, which loses signs of a name", s.path, on))
		}
		return true
	})
	return out
}

// checkCalls finds calls that read the clock or the environment, or that end the process. Only commands, tests and a few tools may make
// such calls.
func checkCalls(s source, f *ast.File) []string {
	if s.isTest() || s.room() == "internal/gittest" || s.room() == "worktree/treetest" || s.room() == "internal/prove/run" || s.room() == "internal/release/build" {
		return nil
	}
	watched := worldly
	if strings.HasPrefix(s.room(), "cmd/") { // in a command, only the clock is forbidden, except in files whose names begin with "clock"
		watched = map[string][]string{"time": worldly["time"]}
		if strings.HasPrefix(path.Base(s.path), "clock") {
			return nil
		}
	}
	names := map[string]string{} // the names under which the file imports the packages
	for _, spec := range f.Imports {
		full, _ := strconv.Unquote(spec.Path.Value)
		if _, ok := watched[full]; !ok {
			continue
		}
		names[full] = full
		if spec.Name != nil {
			names[full] = spec.Name.Name
		}
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		on, ok := sel.X.(*ast.Ident)
		for full, name := range names {
			if ok && on.Name == name && slices.Contains(watched[full], sel.Sel.Name) {
				out = append(out, fmt.Sprintf("%s: uses %s.%s, which is the command's", s.path, full, sel.Sel.Name))
			}
		}
		return true
	})
	for full, name := range names {
		if name == "." {
			out = append(out, fmt.Sprintf("%s: imports %s without a name", s.path, full))
		}
	}
	return out
}

func checkName(s source, f *ast.File) []string {
	for _, name := range append(strings.Split(s.room(), "/"), strings.TrimSuffix(f.Name.Name, "_test")) {
		if slices.Contains(vague, name) {
			return []string{fmt.Sprintf("%s: the name %s says nothing", s.path, name)}
		}
	}
	return nil
}

// registries are hosts from which packages are downloaded.
// No file of the project may mention them, because the user's own settings decide where packages come from.
var registries = []string{"proxy.golang" + ".org", "sum.golang" + ".org", "registry.npmjs" + ".org", "pypi" + ".org", "files.pythonhosted" + ".org",
	"crates" + ".io", "rubygems" + ".org", "goproxy" + ".io", "goproxy" + ".cn"}

// registryIn returns the first host from registries that occurs in a text.
func registryIn(text string) (string, bool) {
	for _, host := range registries {
		if strings.Contains(text, host) {
			return host, true
		}
	}
	return "", false
}
