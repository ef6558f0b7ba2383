// The address of a view: #/VIEW/MODEL/PART?name=value&name=value. What identifies a view is in it, so it can be shared.

// Encodes no more than an address needs, so that people can read it.
function encode(text) {
  return encodeURIComponent(text).replace(/%(2B|2C|3A|40|2F|24)/g, (code) => decodeURIComponent(code));
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parseAddress(hash) {
  const text = hash.replace(/^#\/?/, '');
  const [path, query = ''] = [text.split('?')[0], text.includes('?') ? text.slice(text.indexOf('?') + 1) : ''];
  const [view = '', model = '', part = ''] = path.split('/').map(decode);
  const params = {};
  for (const pair of query.split('&').filter(Boolean)) {
    const at = pair.indexOf('=');
    if (at < 0) params[decode(pair)] = '';
    else params[decode(pair.slice(0, at))] = decode(pair.slice(at + 1));
  }
  return {view, model, part, params};
}

export function formatAddress({view, model = '', part = '', params = {}}) {
  const path = [view, model, part].map((text) => encode(text).replaceAll('/', '%2F')).join('/').replace(/\/+$/, '');
  const query = Object.entries(params)
      .filter(([, value]) => value !== '' && value !== null && value !== undefined)
      .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
      .join('&');
  return `#/${path}${query ? `?${query}` : ''}`;
}

// Lists within a value: names may contain commas.
export const joinList = (names) => names.map((name) => encodeURIComponent(name)).join(',');
export const splitList = (text) => (text ? text.split(',').filter(Boolean).map(decode) : []);
