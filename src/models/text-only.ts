/** Models that are known to accept text only, by the name behind the provider. Others are given images. */
export function isTextOnly(model: string): boolean {
  return TEXT_ONLY.test(model.slice(model.lastIndexOf('/') + 1).toLowerCase())
}

const TEXT_ONLY = new RegExp(
  `^(?:${[
    'gpt-3\\.5.*|gpt-4(?:-\\d{4}.*|-32k.*)?|gpt-oss.*|o1-mini.*|o1-preview.*|o3-mini.*',
    'claude-(?:2|instant).*',
    'deepseek-(?:chat|coder|reasoner|r1|v[23]).*',
    'llama-?3(?:\\.[13])?(?:[:-].*)?|codellama.*|starcoder.*|codestral.*|mixtral.*|mistral(?::.*)?',
    'qwen(?:2|2\\.5|3)(?:-coder.*|:.*)?|qwq.*|phi-?[34](?:[:-](?!.*vision|.*multimodal).*)?',
  ].join('|')})$`,
)
