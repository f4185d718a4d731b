"""c_family"""
