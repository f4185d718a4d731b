// memlsp: written by `memlsp init`, taken out by `memlsp uninstall`. Tells memlsp what happens, and passes on what it says.
import { spawn } from "node:child_process"

const COMMAND = ["memlsp", "hook", "opencode"]
const WAIT = 2000 // milliseconds for an answer; a memory holds nobody up
const LONGEST = 20000 // characters of one output
const ASKED = new Set(["read", "edit", "write", "patch", "multiedit", "bash"])
const TOLD = new Set(["session.created", "session.compacted", "session.deleted", "session.idle"])

const shortened = (key, value) => (key === "output" && typeof value === "string" ? value.slice(0, LONGEST) : value)

// Resolves to what memlsp has to say: { context, message, deny }, each missing where there is nothing; never rejects.
const tell = (payload) =>
  new Promise((resolve) => {
    let said = ""
    const done = () => {
      clearTimeout(timer)
      try {
        resolve(said.trim() ? JSON.parse(said) : {})
      } catch {
        resolve({})
      }
    }
    const timer = setTimeout(() => {
      said = ""
      done()
    }, WAIT)
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      child.on("error", done)
      child.on("close", done)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => (said += part))
      child.stdin.end(JSON.stringify(payload, shortened))
    } catch {
      done()
    }
  })

export const MemlspPlugin = async ({ client, directory, worktree }) => {
  const about = { directory, worktree }
  const briefings = new Map() // session: what to say in its system prompt
  const prompts = new Map() // session: what bears on its latest prompt
  const notes = new Map() // call: what to say with its output
  const answers = new Map() // session: the last text of the agent

  // Shows the person what memlsp says to them, and resolves to the rest.
  const ask = async (payload) => {
    const said = await tell(payload)
    if (said.message) client?.tui?.showToast?.({ body: { message: said.message, variant: "info" } })?.catch?.(() => {})
    return said
  }

  const append = (output, text) => {
    if (text && typeof output.output === "string") output.output += `\n\n${text}`
  }

  return {
    event: async ({ event }) => {
      const failed = event.type === "message.part.updated" && event.properties?.part?.state?.status === "error"
      if (!TOLD.has(event.type) && !(failed && event.properties.part.type === "tool")) return
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      const payload = { hook_event_name: "event", ...about, event }
      if (event.type === "session.idle") payload.last_assistant_message = answers.get(session) ?? ""
      const said = ask(payload)
      if (event.type === "session.created" || event.type === "session.compacted") briefings.set(session, said)
      if (event.type === "session.deleted") for (const kept of [briefings, prompts, answers]) kept.delete(session)
      await said
    },
    "experimental.text.complete": async (input, output) => {
      answers.set(input.sessionID, output.text)
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const kept of [briefings, prompts]) {
        const said = (await kept.get(input.sessionID))?.context
        if (said) output.system.push(said)
      }
    },
    "chat.message": async (input, output) => {
      prompts.set(input.sessionID, await ask({ hook_event_name: "chat.message", ...about, input, output }))
    },
    "tool.execute.before": async (input, output) => {
      if (!ASKED.has(input.tool)) return
      const said = await ask({ hook_event_name: "tool.execute.before", ...about, input, output })
      if (said.deny) throw new Error(said.deny)
      if (said.context) notes.set(input.callID, said.context)
    },
    "tool.execute.after": async (input, output) => {
      append(output, notes.get(input.callID))
      notes.delete(input.callID)
      append(output, (await ask({ hook_event_name: "tool.execute.after", ...about, input, output })).context)
    },
  }
}
