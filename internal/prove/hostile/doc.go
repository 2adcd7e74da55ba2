// Package hostile makes repositories that want to do harm, and looks at what the program does in them.
//
// What is stored in a repository was written by anybody. Whatever it says: nothing of it runs unless this machine's
// user approved it, nothing of it speaks to the terminal, nothing outside the repository is touched,
// reading changes no byte, and time and memory stay within bounds.
// The package holds tests alone and exports nothing.
package hostile
