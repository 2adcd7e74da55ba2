// Package since finds what happened to runs since a person last looked at them: tasks, failures, questions, commits, and what was continued
// without asking anybody. It reads journals and branches. The only thing that it writes is what the person has seen, and when.
package since
