"""The pages of the hub in a browser: Streamlit, mounted beside the service; they read through `server`."""
