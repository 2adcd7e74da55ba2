import { spawn } from "node:child_process"

const report = (event: string, session: string | undefined) => {
  try {
    const child = spawn("git-resume", ["agent-event"], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ agent: "amp", hook_event_name: event, session_id: session, cwd: process.cwd() }))
    child.unref()
  } catch {}
}

export default function (amp) {
  for (const name of ["session.start", "agent.start", "agent.end"]) {
    amp.on(name, async (event) => report(name, event.thread?.id))
  }
}
