/**
 * What keys and tokens look like, one line each: a name, what it begins with, and what follows. Only formats that begin
 * with something unmistakable, or stand behind a word that says what they are, so that hashes and pictures are left alone.
 */
export interface Format {
  readonly name: string
  /** Begins where no letter or digit precedes it. */
  readonly pattern: string
}

const format = (name: string, pattern: string): Format => ({ name, pattern })

/** `[A-Za-z0-9_-]`, as most of them have it. */
const W = '[\\w-]'
const A = '[A-Za-z0-9]'
const HEX = '[0-9a-f]'

const MODELS: readonly Format[] = [
  format('anthropic', `sk-ant-${W}{20,}`),
  format('openai project', `sk-(?:proj|svcacct|admin|None)-${W}{20,}`),
  format('openrouter', `sk-or-${W}{24,}`),
  format('openai', `sk-${A}{32,}`),
  format('google api', `AIza${W}{35}`),
  format('google api, new', `AQ\\.${W}{40,}`),
  format('google oauth secret', `GOCSPX-${W}{20,}`),
  format('google oauth token', `ya29\\.${W}{20,}`),
  format('google refresh token', `1//0${W}{30,}`),
  format('groq', `gsk_${A}{32,}`),
  format('xai', `xai-${A}{32,}`),
  format('perplexity', `pplx-${A}{32,}`),
  format('fireworks', `fw_(?=[A-Za-z]*\\d)${A}{20,}`),
  format('replicate', `r8_${A}{30,}`),
  format('hugging face', `hf_${A}{30,}`),
  format('hugging face organisation', `api_org_${A}{30,}`),
  format('nvidia', `nvapi-${W}{40,}`),
  format('cerebras', `csk-${A}{32,}`),
  format('langsmith', `lsv2_(?:pt|sk)_${HEX}{32}_${HEX}{10}`),
  format('langfuse', `[sp]k-lf-${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`),
  format('tavily', `tvly-${W}{20,}`),
  format('pinecone', `pcsk_${W}{40,}`),
  format('jina', `jina_${W}{40,}`),
  format('voyage', `pa-\\w{40,}`),
  format('elevenlabs', `sk_${HEX}{48}`),
  format('firecrawl', `fc-${HEX}{32}`),
  format('e2b', `e2b_${HEX}{40}`),
  format('helicone', `sk-helicone-${W}{20,}`),
  format('together', `tgp_v1_${W}{20,}`),
  format('runpod', `rpa_${A}{32,}`),
  format('apify', `apify_api_${A}{30,}`),
  format('cursor', `(?:crsr|key)_${HEX}{64}`),
  format('weights and biases', `wandb_v1_${W}{30,}`),
]

const OWN: readonly Format[] = [format('deskmates member', `dmt_${W}{40,}`)]

const CLOUD: readonly Format[] = [
  format('aws access key', `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`),
  format('aws bedrock', `ABSK[A-Za-z0-9+/]{60,}={0,2}`),
  format('alibaba', `LTAI${A}{12,}`),
  format('tencent', `AKID${A}{32}`),
  format('digitalocean', `do[opr]_v1_${HEX}{64}`),
  format('azure ad secret', `${A}{3}\\dQ~[\\w~.-]{31,34}`),
  format('azure devops', `${A}{76}AZDO${A}{4}`),
  format('azure storage', `AccountKey=[A-Za-z0-9+/]{86}==`),
  format('azure shared key', `SharedAccessKey=[A-Za-z0-9+/]{43}=`),
  format('azure sas', `sig=[A-Za-z0-9%+/]{43,}(?:%3D|=)`),
  format('cloudflare ca', `v1\\.0-${HEX}{24}-${HEX}{146}`),
  format('cloudflare token', `cf(?:k|ut|at)_${A}{40,}`),
  format('heroku', `HRKU-${W}{30,}`),
  format('fly.io', `fo1_${W}{40,}`),
  format('fly.io macaroon', `fm[12][a-z]?_[A-Za-z0-9+/]{60,}={0,2}`),
  format('vercel', `vc[pkair]_${A}{24,}`),
  format('vercel blob', `vercel_blob_rw_${A}{16,}_${A}{16,}`),
  format('netlify', `nfp_${A}{36,}`),
  format('render', `rnd_${A}{28,}`),
  format('supabase', `sb(?:p|_secret)_${W}{20,}`),
  format('planetscale', `pscale_(?:tkn|pw|oauth)_[\\w.=-]{32,}`),
  format('neon', `napi_${A}{40,}`),
  format('databricks', `dapi${HEX}{32}(?:-\\d)?`),
  format('doppler', `dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{30,}`),
  format('hashicorp vault', `hv[sbr]\\.${W}{24,}`),
  format('terraform cloud', `${A}{14}\\.atlasv1\\.[\\w=-]{60,}`),
  format('pulumi', `pul-${HEX}{40}`),
  format('1password', `ops_eyJ[A-Za-z0-9+/=_-]{100,}`),
  format('age', `AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`),
  format('age, post-quantum', `AGE-SECRET-KEY-PQ-1[0-9A-Z]{58,}`),
  format('minisign', `(?:RWRTY0Iy|RWQAAEIy)[A-Za-z0-9+/]{100,}={0,2}`),
  format('nkey seed', `S[ACNOU][A-Z2-7]{56}(?![A-Za-z0-9])`),
  format('extended private key', `[xyzt]prv[1-9A-HJ-NP-Za-km-z]{90,}`),
  format('bitwarden', `0\\.${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}\\.${A}{30}:[A-Za-z0-9+/]{22}==`),
  format('tailscale', `tskey-[a-z]+-${W}{12,}`),
  format('scaleway', `SCW[A-Z0-9]{17}`),
  format('oracle session', `ST\\$ey[\\w.-]{40,}`),
  format('yandex', `AQVN[\\w-]{35,38}`),
  format('yandex iam', `t1\\.[A-Z0-9a-z_-]+={0,2}\\.[\\w-]{86}={0,2}`),
  format('grafana cloud', `glc_[A-Za-z0-9+/]{32,}={0,2}`),
  format('grafana service account', `glsa_${A}{32}_${HEX}{8}`),
  format('new relic', `NR(?:AK|II|RA|JS|SP)-${A}{19,42}`),
  format('sentry', `sntr[yu][us]?_[A-Za-z0-9+/=_]{40,}`),
  format('dynatrace', `dt0[cs]01\\.[A-Z2-7]{24}\\.[A-Z2-7]{64}`),
  format('confluent', `cflt${A}{40,}`),
  format('launchdarkly', `(?:api|sdk|mob)-${HEX}{8}-${HEX}{4}-4${HEX}{3}-[89ab]${HEX}{3}-${HEX}{12}`),
]

const CODE: readonly Format[] = [
  format('github', `gh[pousr]_(?:${A}{36,}|${A}{1,20}_eyJ[\\w.-]{30,})`),
  format('github fine-grained', `github_pat_\\w{50,}`),
  format('gitlab', `gl(?:pat|dt|rt|ptt|ft|imt|agent|oas|soat|cbt|ffct|rtr)-[\\w.=-]{20,}`),
  format('gitlab runner', `GR1348941[\\w-]{20,}`),
  format('bitbucket', `ATBB${A}{24,}`),
  format('atlassian', `ATATT3[\\w=-]{60,}`),
  format('atlassian connect', `ATCTT3[\\w=-]{60,}`),
  format('npm', `npm_${A}{36}`),
  format('pypi', `pypi-A${W}{40,}`),
  format('rubygems', `rubygems_${HEX}{48}`),
  format('crates.io', `cio${A}{32}`),
  format('nuget', `oy2[a-z0-9]{43}`),
  format('docker', `dck?r_(?:pat|oat)_${W}{27,}`),
  format('jfrog', `AKCp${A}{69}`),
  format('jfrog reference', `cmVmd${A}{59}`),
  format('artifactory cmd', `cmVmdGtuO${A}{50,}`),
  format('sonarqube', `sq[pua]_${HEX}{40}`),
  format('snyk', `snyk_(?:uat|sat)\\.${W}{20,}`),
  format('circleci', `CCI(?:PAT|PRJ)_${A}{22}_${HEX}{40}`),
  format('buildkite', `bk(?:ua|aj|ct)_${HEX}{40}`),
  format('linear', `lin_(?:api|oauth)_${A}{32,}`),
  format('postman', `PMAK-${HEX}{24}-${HEX}{34}`),
  format('sourcegraph', `sgp_(?:${HEX}{16}_|local_)?${HEX}{40}`),
  format('figma', `fig[dur]_${W}{40,}`),
  format('notion', `(?:secret_${A}{43}|ntn_${A}{43,})`),
  format('airtable', `pat${A}{14}\\.${HEX}{64}`),
  format('asana', `\\d/\\d{16}(?:/\\d{16})?:${HEX}{32}`),
  format('clickup', `pk_\\d{6,}_[A-Z0-9]{32}`),
  format('contentful', `CFPAT-${W}{43}`),
  format('posthog', `ph[xs]_${A}{40,}`),
  format('readme', `rdme_[a-z0-9]{70}`),
  format('typeform', `tfp_[\\w.=-]{40,}`),
  format('prefect', `pn[ubt]_${A}{36}`),
  format('convex', `prod:[a-z]+-[a-z]+-\\d+\\|${A}{40,}`),
]

const TALK: readonly Format[] = [
  format('slack', `xox[a-eoprs]-[\\w%-]{20,}`),
  format('slack configuration', `xoxe\\.xox[bp]-\\d-${A}{40,}`),
  format('slack app', `xapp-\\d-[A-Z0-9]+-\\d+-[a-z0-9]{32,}`),
  format('slack hook', `hooks\\.slack\\.com/(?:services|workflows|triggers)/[\\w+/-]{30,}`),
  format('discord bot', `[MNO]${W}{23,27}\\.${W}{6}\\.${W}{27,40}`),
  format('discord hook', `discord(?:app)?\\.com/api/webhooks/\\d{17,20}/${W}{60,}`),
  format('telegram', `\\d{8,10}:AA${W}{33}`),
  format('teams hook', `webhook\\.office\\.com/webhookb2/[\\w@-]{36,}/IncomingWebhook/${HEX}{32}/[\\w-]{36}`),
  format('twilio account key', `SK${HEX}{32}`),
  format('sendgrid', `SG\\.${W}{16,24}\\.${W}{32,}`),
  format('mailgun', `key-${HEX}{32}`),
  format('mailchimp', `${HEX}{32}-us\\d{1,2}`),
  format('brevo', `xkeysib-${HEX}{64}-${A}{16}`),
  format('resend', `re_${A}{8}_${A}{24,}`),
  format('postmark', `POSTMARK_${W}{30,}`),
  format('intercom', `dG9rO[A-Za-z0-9+/]{50,}={0,2}`),
  format('facebook', `EAA[CM]${A}{80,}`),
  format('instagram', `IGQ[A-Z]${W}{80,}`),
  format('twitter bearer', `AAAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{60,}`),
  format('linkedin', `AQ[UVWX]${W}{100,}`),
]

const MONEY: readonly Format[] = [
  format('stripe', `(?:sk|rk)_(?:live|test|prod)_${A}{20,}`),
  format('stripe hook', `whsec_[A-Za-z0-9+/]{24,}={0,2}`),
  format('square', `(?:EAAA${W}{56,}|sq0[a-z]{3}-${W}{22,43})`),
  format('paypal braintree', `access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$${HEX}{32}`),
  format('adyen', `AQE[a-z]hmfu?[A-Za-z0-9+/=]{60,}`),
  format('plaid', `access-(?:sandbox|development|production)-${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`),
  format('razorpay', `rzp_(?:live|test)_${A}{14,}`),
  format('flutterwave', `FLWSECK(?:_TEST)?-${HEX}{12,32}-X`),
  format('paystack', `sk_(?:live|test)_${HEX}{40}`),
  format('mollie', `(?:live|test)_(?=[A-Za-z]*\\d)${A}{30,}`),
  format('gocardless', `live_[\\w=-]{40}`),
  format('shopify', `shp(?:at|ca|pa|ss|tka)_${HEX}{32,}`),
  format('lob', `(?:live|test)_(?:pub_)?${HEX}{35}`),
  format('easypost', `EZ[AT]K${A}{54}`),
  format('duffel', `duffel_(?:live|test)_[\\w=-]{43}`),
  format('shippo', `shippo_(?:live|test)_${HEX}{40}`),
]

const ANYWHERE: readonly Format[] = [
  // Only where a run of such letters begins: looking for one inside of it at every place would take for ever.
  format('jwt', `(?:(?<![\\w-])|(?<=\\\\[bfnrt]|%[0-9A-Fa-f]{2}))eyJ${W}{8,}\\.eyJ${W}{8,}\\.${W}{8,}`),
  format(
    'jwe',
    `(?:(?<![\\w-])|(?<=\\\\[bfnrt]|%[0-9A-Fa-f]{2}))eyJ${W}{16,}\\.${W}*\\.${W}{8,}\\.${W}{16,}\\.${W}{16,}`,
  ),
  format('mapbox', `sk\\.eyJ${W}{20,}\\.${W}{16,}`),
  format('paseto', `v[1-4]\\.(?:local|public)\\.${W}{40,}`),
]

export const FORMATS: readonly Format[] = [...OWN, ...MODELS, ...CLOUD, ...CODE, ...TALK, ...MONEY, ...ANYWHERE]
