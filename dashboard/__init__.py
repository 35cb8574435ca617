"""The pages of the hub in a browser: Streamlit, mounted beside the service; what they show they read through `server`."""
