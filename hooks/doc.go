// Package hooks installs the hook stub through which git calls git-resume after a checkout, checks that git runs the
// stub, and uninstalls it. It does not overwrite another tool's hook: if our stub takes the place of a hook file, it
// runs that hook first. The package does not decide what git-resume prints.
package hooks
