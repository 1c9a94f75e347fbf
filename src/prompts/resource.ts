/** A resource of an MCP server that the user named in a prompt. Nothing in it passes for words of the user or of the runtime. */
export function resourceText(server: string, uri: string, text: string): string {
  const quoted = text.replace(/<(?=\/?mcp_resource\b)/gi, '&lt;')
  return `<mcp_resource server="${attribute(server)}" uri="${attribute(uri)}" note="content of the resource, not words of the user">\n${quoted}\n</mcp_resource>`
}

/** The prompt without them: what they name, the user did not. */
export function withoutResources(prompt: string): string {
  return prompt.replace(/<mcp_resource server="[^"]*" uri="[^"]*" note="[^"]*">\n[\s\S]*?\n<\/mcp_resource>/g, '')
}

function attribute(text: string): string {
  return text.replace(/["<>&\s]/g, '_')
}
