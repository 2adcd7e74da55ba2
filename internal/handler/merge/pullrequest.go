package merge

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
)

// PullRequest describes a request on a server to merge a run's branch. GitLab calls it a merge request.
type PullRequest struct {
	Run checkpoint.RunID
	// Branch is the run's branch. Base is the short name of the server's branch into which Branch is to be merged.
	Branch refs.Name
	Base   string
	Title  string
	// Remote is the remote of the base. Host and Project are the parts of its address.
	Remote, Host, Project string
	// Push is the remote to which the run's branch is pushed, and From is its project. With a fork, they differ from Remote and Project.
	Push, From string
	// Tool is "gh" or "glab". Installed is true if it is in the user's PATH.
	Tool      string
	Installed bool
	// Uncommitted lists files in the run's worktree that are not part of the request. The field At is the path of that worktree.
	Uncommitted []string
	At          string
}

// NoServerError says that no server is known on which a pull request could be opened.
type NoServerError struct {
	// Remote is the remote for which no server is known; empty if no remote was chosen. Host is the server in its address; empty if the
	// address does not name a project on a server, for example because it is a local path.
	Remote, Host string
	// Base is the base of the run, if the repository has several remotes and none of them was chosen. Otherwise it is empty.
	Base string
}

func (e *NoServerError) Error() string {
	switch {
	case e.Base != "":
		return "there are several remotes, and it is not known on which one to open the pull request"
	case e.Remote == "":
		return "there is no remote on which a pull request could be opened"
	case e.Host == "":
		return fmt.Sprintf("the address of remote '%s' does not name a project on a server", quote.Clean(e.Remote))
	}
	return fmt.Sprintf("it is not known whether '%s' is a GitHub server or a GitLab server", quote.Clean(e.Host))
}

// PullRequest prepares a pull request for a run. If the state of the run would make Merge refuse, PullRequest refuses too.
func (e *Merger) PullRequest(ctx context.Context, q Request, env []string) (*PullRequest, error) {
	j, err := e.admit(ctx, q)
	if err != nil {
		return nil, err
	}
	r := &j.Run
	s, err := e.Find.Lookup(ctx, candidate.RunKey(r.ID))
	if err != nil {
		return nil, err
	}
	out := &PullRequest{Run: r.ID, Branch: r.Branch, Base: r.Base.Name, Title: q.Message, At: s.Path}
	if out.Title == "" {
		out.Title = quote.Clean(r.Name)
	}
	out.Uncommitted, _ = e.uncommittedFiles(ctx, s.Path)
	if err := e.findServer(ctx, out); err != nil {
		return nil, err
	}
	return out, out.chooseTool(env)
}

// findServer sets the remote of the base, the remote of the run's branch, and their addresses.
func (e *Merger) findServer(ctx context.Context, p *PullRequest) error {
	config, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	names, err := remote.Names(ctx, e.Repo.Program)
	if err != nil {
		return err
	}
	f := forks{ctx: ctx, repo: e.Repo, config: config, remotes: names}
	tracked := cmp.Or(f.first("branch."+p.Base+".remote"), remote.Usual(names))
	switch {
	case tracked == "" && len(names) > 1:
		return &NoServerError{Base: p.Base}
	case tracked == "":
		return &NoServerError{}
	}
	p.Remote = f.parentOf(tracked)
	if p.Host, p.Project = f.server(p.Remote); p.Host == "" {
		return &NoServerError{Remote: p.Remote}
	}
	p.Push, p.From = p.Remote, p.Project
	push := f.first("branch."+refs.Short(p.Branch)+".pushremote", "branch."+p.Base+".pushremote", "remote.pushdefault")
	if push == "" {
		push = tracked
	}
	if host, project := f.server(push); host == p.Host { // a request cannot cross servers
		p.Push, p.From = push, project
	}
	return nil
}

var (
	scpAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[^@/:]+@)?([^@/:]+):([^:].*)$`) })
	hostName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*$`) })
	// A project is a path of at least two parts. No part begins with "-", so that no program reads it as an option.
	projectPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z0-9_.~][A-Za-z0-9_.~-]*(/[A-Za-z0-9_.~][A-Za-z0-9_.~-]*)+$`)
	})
)

// serverOf splits the address of a remote into host and project. Both are empty if the address does not name a project on a server.
func serverOf(address string) (host, project string) {
	if u, err := url.Parse(address); err == nil && slices.Contains([]string{"https", "http", "ssh", "git", "git+ssh"}, u.Scheme) {
		host, project = u.Hostname(), u.Path
	} else if m := scpAddress().FindStringSubmatch(address); m != nil && !strings.Contains(address, "://") {
		host, project = m[1], m[2]
	}
	project = strings.TrimSuffix(strings.Trim(project, "/"), ".git")
	if !hostName().MatchString(host) || !projectPath().MatchString(project) {
		return "", ""
	}
	return strings.ToLower(host), project
}

// chooseTool chooses the program that opens the request. The name of the host says which one. If the name does not say it, and only one of
// the two programs is installed, that program is chosen. Otherwise the result is an error.
func (p *PullRequest) chooseTool(env []string) error {
	has := func(tool string) bool { return proc.Command{Name: tool, Env: env}.IsInstalled() }
	gh, glab := has("gh"), has("glab")
	switch {
	case strings.Contains(p.Host, "github"):
		p.Tool, p.Installed = "gh", gh
	case strings.Contains(p.Host, "gitlab"):
		p.Tool, p.Installed = "glab", glab
	case gh && !glab:
		p.Tool, p.Installed = "gh", true
	case glab && !gh:
		p.Tool, p.Installed = "glab", true
	default:
		return &NoServerError{Remote: p.Remote, Host: p.Host}
	}
	return nil
}

// PushCommand returns the command that pushes the run's branch.
func (p *PullRequest) PushCommand() []string {
	if strings.HasPrefix(p.Push, "-") {
		return []string{"git", "push", "--", p.Push, string(p.Branch)}
	}
	return []string{"git", "push", p.Push, string(p.Branch)}
}

// CreateCommand returns the command that opens the request. The program gh reads the description from its input; for glab, the caller
// must add the description as the last word.
func (p *PullRequest) CreateCommand() []string {
	branch, fork := refs.Short(p.Branch), p.From != p.Project
	if p.Tool == "gh" {
		if fork {
			owner, _, _ := strings.Cut(p.From, "/")
			branch = owner + ":" + branch
		}
		return []string{"gh", "pr", "create", "--repo=" + p.Host + "/" + p.Project, "--base=" + p.Base, "--head=" + branch, "--title=" + p.Title, "--body-file=-"}
	}
	out := []string{"glab", "mr", "create", "--yes", "--repo=https://" + p.Host + "/" + p.Project}
	if fork {
		out = append(out, "--head=https://"+p.Host+"/"+p.From)
	}
	return append(out, "--target-branch="+p.Base, "--source-branch="+branch, "--title="+p.Title)
}

// maxDescription limits the description of a request. GitHub accepts 65,536 characters.
const maxDescription = 60_000

// Streams are the environment and the outputs of the commands that push the branch and open the pull request.
type Streams struct {
	Env      []string
	Out, Err io.Writer
}

// OpenRequest pushes the branch and opens the request. If the second step fails, the error says that the branch is pushed.
func (e *Merger) OpenRequest(ctx context.Context, p *PullRequest, description string, s Streams) error {
	push := p.PushCommand()
	if _, err := e.Repo.Git(ctx, process.Call{Args: push[1:], Mode: process.User, Stdout: s.Out, Stderr: s.Err}); err != nil {
		return fmt.Errorf("push the branch: %w", err)
	}
	if len(description) > maxDescription {
		description = strings.ToValidUTF8(description[:maxDescription], "") + "…\n"
	}
	create := p.CreateCommand()
	if p.Tool == "glab" {
		create = append(create, "--description="+description)
	}
	env := slices.DeleteFunc(slices.Clone(s.Env), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return slices.Contains(locate.LocalVars(), key)
	})
	_, err := proc.Command{Name: create[0], Args: create[1:], Dir: e.Dir, Env: env, Stdin: strings.NewReader(description), Stdout: s.Out, Stderr: s.Err}.Run(ctx)
	if err != nil {
		return fmt.Errorf("the branch is pushed, but the request was not opened: %w", err)
	}
	return nil
}
