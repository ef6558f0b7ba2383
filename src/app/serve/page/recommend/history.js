// A history in an address: "+50,-181" are likes and dislikes, oldest first; a name may be any text.

export function parseHistory(text) {
  if (!text) return [];
  return text.split(',').filter((part) => /^[+-]./.test(part)).map((part) => {
    let item = part.slice(1);
    try {
      item = decodeURIComponent(item);
    } catch {
      // A bare %: the name as it is.
    }
    return {item, liked: part[0] === '+'};
  });
}

export const formatHistory = (events) => events.map(({item, liked}) => (liked ? '+' : '-') + encodeURIComponent(item)).join(',');
