// Lets the browser remember which collection is asked, below the address of the pages alone.

const A_YEAR_S = 31_536_000;

export default function scope({ data }) {
  const path = new URL(".", location.href).pathname;
  const closed = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${data.cookie}=${encodeURIComponent(data.collection)}; path=${path}; max-age=${A_YEAR_S}; samesite=strict${closed}`;
}
